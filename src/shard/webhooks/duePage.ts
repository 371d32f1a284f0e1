/** The next deliveries of a webhook for one board, from the board's event log. */
import { LARGE_EVENT_STUB } from '../../domain/events.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import type { Position } from '../../domain/position.js';
import { PAGE_CHARACTERS, type Due, type DuePage } from '../../domain/webhook/webhookCommands.js';
import { deliveryId, isRunning, wants, type Webhook, type WebhookFeed } from '../../domain/webhook/webhook.js';
import type { ShardStore } from '../shardStore.js';

/** A page is read in one go, and its deliveries are in memory until they are made. */
const PAGE_EVENTS = 50;

/** `gone`: the board is removed and everything delivered. `rests`: it gets nothing now. `creator`: it must be paused. */
export type PageOutcome = DuePage | 'gone' | 'rests' | 'creator';

/** `after`: how far the relay is, which is ahead of what is stored. */
export function duePage(store: ShardStore, webhook: Webhook, boardId: Uuid, after: Position | null): PageOutcome {
  if (!isRunning(webhook)) return 'rests';
  const key = boardKeyOf(boardId);
  const feed = store.webhooks.feed(key, webhook.id);
  const board = store.positionOf(key);
  if (board === null && feed === null) return 'gone';
  // Of a board that is deleted the creators were checked when it was.
  if (board !== null && webhook.board_id !== null && !isActiveOwner(store, key, webhook.created_by)) return 'creator';
  const latest = board ?? { epoch: feed?.epoch ?? '', seq: store.events.latestSeq(key) ?? feed?.seq ?? 0 };
  const cursor = after ?? feed ?? store.webhooks.startOn(key, webhook, latest);
  const { due, upTo } = eventsAfter(store, key, webhook, cursor, latest);
  if (board === null && due.length === 0 && upTo.seq === latest.seq) return 'gone';
  const current = feed?.generation === webhook.generation ? feed : null;
  const { id, url, format, board_id, created_by } = webhook;
  return {
    target: { webhook: { id, url, format, board_id, created_by }, secrets: webhook.secrets, board_title: store.titleOf(key) ?? '' },
    generation: webhook.generation,
    due,
    upTo,
    hasMore: upTo.seq < latest.seq,
    ...failingOf(current),
    names: webhook.format === 'standard' ? {} : namesIn(store, key, due),
  };
}

function failingOf(feed: WebhookFeed | null): Pick<DuePage, 'attempt' | 'failing_since' | 'next_at'> {
  const { attempt = 0, failing_since = null, next_at = null } = feed ?? {};
  return { attempt, failing_since, next_at };
}

export function isActiveOwner(store: Pick<ShardStore, 'memberOf'>, key: BoardKey, user: Uuid): boolean {
  const member = store.memberOf(key, user);
  return member?.role === 'owner' && member.user.is_active;
}

/** What is not in the log becomes one delivery that says so. */
function eventsAfter(
  store: ShardStore,
  key: BoardKey,
  webhook: Webhook,
  cursor: Position,
  latest: Position,
): { readonly due: readonly Due[]; readonly upTo: Position } {
  const { epoch } = latest;
  const resync = (seq: number): Due => {
    const position = { epoch, seq };
    return { id: deliveryId(webhook.id, position, 'resync'), type: 'resync', position, json: null };
  };
  if (cursor.epoch !== epoch || cursor.seq > latest.seq) return { due: [resync(latest.seq)], upTo: latest };
  if (cursor.seq === latest.seq) return { due: [], upTo: latest };
  const due: Due[] = [];
  const first = store.events.oldestSeq(key) ?? latest.seq + 1;
  const from = Math.max(cursor.seq, first - 1);
  if (from > cursor.seq) due.push(resync(from));
  const events = store.events.since(key, from, PAGE_EVENTS, PAGE_CHARACTERS);
  const characters = events.reduce((sum, { json }) => sum + json.length, 0);
  if (characters > PAGE_CHARACTERS && events.length > 1) events.pop();
  for (const { seq, type, json } of events) {
    if (!wants(webhook, type)) continue;
    const position = { epoch, seq };
    if (json === LARGE_EVENT_STUB) due.push(resync(seq));
    else due.push({ id: deliveryId(webhook.id, position, 'event'), type, position, json });
  }
  return { due, upTo: { epoch, seq: events.at(-1)?.seq ?? from } };
}

/** The names under which the board knows the users who acted. */
function namesIn(store: ShardStore, key: BoardKey, due: readonly Due[]): Record<Uuid, string> {
  const names: Record<Uuid, string> = {};
  for (const { json } of due) {
    const { user_id } = JSON.parse(json ?? '{}') as { readonly user_id?: Uuid | null };
    if (typeof user_id !== 'string' || user_id in names) continue;
    const user = store.memberOf(key, user_id)?.user;
    if (user !== undefined) names[user_id] = user.username;
  }
  return names;
}
