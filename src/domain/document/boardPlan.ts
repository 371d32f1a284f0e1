/**
 * A whole new board as a list of records, on its way to disk. It is cut into slices: parsing and writing fifty thousand
 * records at once would delay all other boards of the shard.
 */
import type { Uuid } from '../ids.js';
import type { Change, Member } from '../model.js';
import { toSharedBytes } from '../content/sharedBytes.js';

export interface BoardPlan {
  readonly board_id: Uuid;
  /** Each is a list of changes as JSON. */
  readonly slices: readonly Uint8Array[];
  /** The board's own record and its members. Written last: before it there is no board. */
  readonly last: Uint8Array;
}

/** A few milliseconds of parsing and writing. */
const SLICE_CHANGES = 250;
/** Records with long texts make shorter slices. */
const SLICE_CHARACTERS = 256 * 1024;

export function cutIntoSlices(board_id: Uuid, changes: readonly Change[]): BoardPlan {
  const slices: Uint8Array[] = [];
  let texts: string[] = [];
  let characters = 0;
  const finishSlice = (): void => {
    if (texts.length > 0) slices.push(toSharedBytes(`[${texts.join(',')}]`));
    texts = [];
    characters = 0;
  };
  for (const change of changes.filter((each) => !isLast(each))) {
    const text = JSON.stringify(change);
    texts.push(text);
    characters += text.length;
    if (texts.length >= SLICE_CHANGES || characters >= SLICE_CHARACTERS) finishSlice();
  }
  finishSlice();
  return { board_id, slices, last: toSharedBytes(JSON.stringify(changes.filter(isLast))) };
}

/** The memory of the slices that have memory of their own. A message hands it over, so that a large plan is not copied at once. */
export function memoryOfSlices({ slices }: BoardPlan): ArrayBuffer[] {
  return slices.flatMap(({ buffer, length }) => (buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : []));
}

/** Whether the memory was handed over. No slice is empty otherwise. */
export function isPlanSpent({ slices }: BoardPlan): boolean {
  return slices.some(({ length }) => length === 0);
}

export function readSlice(slice: Uint8Array): Change[] {
  return JSON.parse(Buffer.from(slice.buffer, slice.byteOffset, slice.length).toString()) as Change[];
}

/** The initial members of the board. */
export function membersIn(changes: readonly Change[]): Member[] {
  return changes.flatMap((change) => (change.kind === 'member' && 'put' in change ? [change.put] : []));
}

function isLast({ kind }: Change): boolean {
  return kind === 'board' || kind === 'member';
}
