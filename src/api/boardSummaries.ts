/** The summaries of a user's boards, gathered from wherever they are, without holding more of them than an answer has. */
import { textOf, type BoardsPort } from '../domain/boardsPort.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';

/** The summary that reaches it is the last of its page. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** How many boards are asked at the same time; the largest take some ten milliseconds of their thread each. */
const MAX_ASKS = 32;
const FIRST_ASKS = 4;
/** And how many bytes their summaries may come to, if all are like the largest so far. */
const AT_ONCE_BYTES = 1024 * 1024;

export interface Summaries {
  /** Of JSON. */
  readonly summaries: readonly string[];
  /** How many of the boards these are, including those that the caller is no longer on. */
  readonly seen: number;
}

export async function gatherSummaries(ids: readonly Uuid[], user_id: Uuid, boards: BoardsPort): Promise<Summaries> {
  const summaries: string[] = [];
  let seen = 0;
  let bytes = 0;
  let largest = 1;
  for (let asks = FIRST_ASKS; seen < ids.length && bytes < PAGE_BYTES; asks = Math.min(2 * asks, MAX_ASKS)) {
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
  return { summaries, seen };
}

/** Null when the board is gone, or the caller has left it, since the directory answered. */
async function askSummary(target: Uuid, user_id: Uuid, boards: BoardsPort): Promise<string | null> {
  const outcome = await boards.ask({ op: 'board.summary', asker: { user_id, role: 'member' }, target, input: {} });
  if (outcome.ok) return textOf(outcome) ?? 'null';
  if (outcome.error.code === 'not_found' || outcome.error.code === 'forbidden') return null;
  throw AppError.from(outcome.error);
}
