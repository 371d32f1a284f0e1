import { MAX_PASSED_OVER, PAGE_CHARACTERS, type ActivityRange, type StoredFact } from '../board/activity/activityOnDisk.js';
import type { Draft } from '../board/draft.js';
import { deletedUser, type PublicUser } from '../account/user.js';
import type { EventType } from '../events.js';
import type { Uuid } from '../ids.js';
import type { ActivityFilter } from './commands.js';
import type { HandlerAnswer, HandlersOf } from './handler.js';

export const activityHandlers: HandlersOf<'activity'> = {
  'activity.list': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    lists: null,
    run: (draft, _board, { card_id, ...filter }) => page(draft, card_id, filter),
  },

  'activity.ofCard': {
    target: 'card',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    run: (draft, card, filter) => page(draft, card.id, filter),
    runArchived: (draft, _archived, card, filter) => page(draft, card, filter),
  },
};

/** What the filter passes over is bounded, and the page is shorter then. */
function page(draft: Draft, card_id: Uuid | null, { before, after, user_id, kind, limit }: ActivityFilter): HandlerAnswer {
  const range: ActivityRange = { before, after: after ?? -1, card_id };
  const found: StoredFact[] = [];
  let [charactersLeft, passedOver] = [PAGE_CHARACTERS, 0];
  let next: number | null = card_id === null ? null : draft.activityOnDisk.endOf(range);
  let last: number | null = null;
  for (const fact of draft.activityOnDisk.read(range)) {
    if (found.length >= limit || charactersLeft <= 0 || passedOver >= MAX_PASSED_OVER) {
      next = last;
      break;
    }
    last = fact.seq;
    if ((user_id !== null && fact.user_id !== user_id) || (kind !== null && fact.kind !== kind)) {
      passedOver += 1;
      continue;
    }
    found.push(fact);
    charactersLeft -= fact.json.length;
  }
  return { json: `{"activity":[${found.map((fact) => render(draft, fact)).join(',')}],"next":${next}}` };
}

function render(draft: Draft, { seq, at, user_id, kind, card_id, json }: StoredFact): string {
  const user = user_id === null ? undefined : draft.get('member', user_id)?.user;
  const head = { seq, at, kind, card_id, user_name: user_id === null ? null : nameOf(draft, user_id, user) };
  // The rest begins with the id of what was changed.
  const named = isOfMember(kind, json, draft.id) ? `"name":${JSON.stringify(nameOfMember(draft, json))},` : '';
  return `${JSON.stringify(head).slice(0, -1)},"user":${user === undefined ? 'null' : draft.render.user(user)},${named}${json.slice(1)}`;
}

function nameOf(draft: Draft, id: Uuid, user = draft.get('member', id)?.user as PublicUser | undefined): string {
  return user?.username ?? draft.activityOnDisk.formerName(id) ?? deletedUser(id).username;
}

/** A role is changed with the event of the board. */
function isOfMember(kind: EventType, json: string, board: Uuid): boolean {
  return kind.startsWith('board.member_') || (kind === 'board.updated' && idIn(json) !== board);
}

function nameOfMember(draft: Draft, json: string): string {
  return nameOf(draft, idIn(json));
}

function idIn(json: string): Uuid {
  return (JSON.parse(json) as { readonly id: Uuid }).id;
}
