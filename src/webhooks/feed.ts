/** How far one webhook is with one board, in memory: ahead of what is stored by a second at most. */
import { retryAfter } from '../domain/webhook/retries.js';
import type { DuePage, FeedName, Progress } from '../domain/webhook/webhookCommands.js';
import type { Pause } from '../domain/webhook/webhook.js';
import type { Position } from '../domain/position.js';
import type { ShardName } from '../partitions/messages.js';
import type { LaneOwner } from './feedLanes.js';
import type { JobResult } from './messages.js';

/** What is known since the feed was read. Null before, and after its webhook was changed. */
interface Known {
  readonly generation: number;
  readonly position: Position | null;
  readonly attempt: number;
  readonly failing_since: string | null;
  readonly next_at: string | null;
}

/** The first wait after a step that ended without a result: its thread is gone, or the shard cannot answer. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export class Feed {
  readonly name: FeedName;
  readonly shard: ShardName;
  /** Who it is counted for. */
  readonly lane: LaneOwner;
  readonly stop = new AbortController();
  /** `again`: something happened since the last page was read. */
  state: 'idle' | 'running' | 'again' = 'idle';
  timer: NodeJS.Timeout | undefined;
  /** Whether its next event is larger than a page: few of these are in memory at a time. */
  isLarge = false;
  #known: Known | null = null;
  /** Steps in a row without a result. */
  #vainSteps = 0;

  constructor(name: FeedName, shard: ShardName) {
    this.name = name;
    this.shard = shard;
    this.lane = { user: name.created_by, host: URL.canParse(name.url) ? new URL(name.url).host : '' };
  }

  /** How far it is, for the next page. */
  get cursor(): { readonly generation: number | null; readonly after: Position | null } {
    return { generation: this.#known?.generation ?? null, after: this.#known?.position ?? null };
  }

  /** Takes what the page says, unless more is known. */
  note({ generation, attempt, failing_since, next_at }: DuePage): void {
    if (this.#known?.generation === generation) return;
    this.#known = { generation, position: null, attempt, failing_since, next_at };
  }

  /** Milliseconds until the next attempt may be made. */
  waitMs(now: number): number {
    const { next_at = null } = this.#known ?? {};
    return next_at === null ? 0 : Math.max(0, Date.parse(next_at) - now);
  }

  /** Milliseconds until the next step after one without a result. They grow: a step that ends its thread ends the steps of others too. */
  vainStep(): number {
    const wait = Math.min(PAUSE_MS * 2 ** this.#vainSteps, LONGEST_PAUSE_MS);
    this.#vainSteps += 1;
    return wait;
  }

  get attempt(): number {
    return this.#known?.attempt ?? 0;
  }

  /** Everything up to there was delivered, or is not wanted. */
  passed(position: Position): Progress {
    this.#vainSteps = 0;
    this.#known = { generation: this.#generation, position, attempt: 0, failing_since: null, next_at: null };
    return this.#progress(null);
  }

  /** After the deliveries of a page, of which the last one may have failed. */
  delivered(page: DuePage, { deliveries, end }: JobResult, now: number, random: number): Progress | null {
    if (end === 'done') return this.passed(page.upTo);
    const isFailure = end !== 'stopped';
    const taken = deliveries.length - (isFailure ? 1 : 0);
    const last = page.due[taken - 1];
    if (last !== undefined) this.passed(last.position);
    if (!isFailure) return last === undefined ? null : this.#progress(null);
    return this.#progress(end === 'gone' ? 'gone' : this.#failed(now, random));
  }

  paused(pause: Pause): Progress {
    return this.#progress(pause);
  }

  #failed(now: number, random: number): Pause | null {
    this.#vainSteps = 0;
    const { position = null, attempt = 0, failing_since = null } = this.#known ?? {};
    const retry = retryAfter({ attempt, failing_since }, now, random);
    const next_at = retry.kind === 'wait' ? retry.next_at : null;
    const since = failing_since ?? new Date(now).toISOString();
    this.#known = { generation: this.#generation, position, attempt: attempt + 1, failing_since: since, next_at };
    return retry.kind === 'wait' ? null : 'failing';
  }

  get #generation(): number {
    return this.#known?.generation ?? 0;
  }

  #progress(pause: Pause | null): Progress {
    const { webhook_id, board_id } = this.name;
    const { generation, position, attempt, failing_since, next_at } = this.#known ?? {
      generation: 0,
      position: null,
      attempt: 0,
      failing_since: null,
      next_at: null,
    };
    return { webhook_id, board_id, generation, position, attempt, failing_since, next_at, pause };
  }
}
