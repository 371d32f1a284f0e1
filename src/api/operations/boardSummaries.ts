/** Collects the summaries of a user's boards from their shards, without holding more of them than an answer has. */
import { setImmediate } from 'node:timers/promises';
import { bodyOf, type BoardsPort } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { joinSharedInSlices } from '../../domain/sharedBytes.js';

/** The summary that reaches this size is the last of its page. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** Boards asked at the same time. The first one, and then a few, show how large summaries are. */
const MAX_ASKS = 32;
const ASKS_GROW_BY = 8;
/** The total size of their summaries, if all are like the largest so far. */
const AT_ONCE_BYTES = 1024 * 1024;

/** A longer list is encoded in slices. */
const LARGE_CHARACTERS = 256 * 1024;

type Body = string | Uint8Array;

export interface Summaries {
  /** The summaries as a JSON list. */
  readonly json: Body;
  /** The number of boards covered, including those that the caller has left. */
  readonly seen: number;
}

export async function gatherSummaries(ids: readonly Uuid[], user_id: Uuid, boards: BoardsPort): Promise<Summaries> {
  const summaries: Body[] = [];
  let seen = 0;
  let bytes = 0;
  let largest = 1;
  for (let asks = 1; seen < ids.length && bytes < PAGE_BYTES; asks = Math.min(ASKS_GROW_BY * asks, MAX_ASKS)) {
    const width = Math.max(1, Math.min(asks, Math.floor(AT_ONCE_BYTES / largest)));
    const asked = ids.slice(seen, seen + width).map((target) => askSummary(target, user_id, boards));
    for (const summary of await Promise.all(asked)) {
      if (bytes >= PAGE_BYTES) break;
      seen += 1;
      if (summary === null) continue;
      summaries.push(summary);
      bytes += summary.length;
      largest = Math.max(largest, summary.length);
    }
  }
  return { json: bytes < LARGE_CHARACTERS && isText(summaries) ? `[${summaries.join(',')}]` : await joinList(summaries), seen };
}

/** Null if the board is gone or the caller has left it since the directory answered. */
async function askSummary(target: Uuid, user_id: Uuid, boards: BoardsPort): Promise<Body | null> {
  const outcome = await boards.ask({ op: 'board.summary', caller: { user_id }, target, input: {} });
  if (outcome.ok) return bodyOf(outcome) ?? 'null';
  if (outcome.error.code === 'not_found' || outcome.error.code === 'forbidden') return null;
  throw AppError.from(outcome.error);
}

function isText(bodies: readonly Body[]): bodies is readonly string[] {
  return bodies.every((body) => typeof body === 'string');
}

/** A JSON array, encoded with other requests in between. */
async function joinList(bodies: readonly Body[]): Promise<Uint8Array> {
  const joining = joinSharedInSlices([...bodies.flatMap((body, index) => [index === 0 ? '[' : ',', body]), ']']);
  for (let step = joining.next(); ; step = joining.next()) {
    if (step.done) return step.value;
    await setImmediate();
  }
}
