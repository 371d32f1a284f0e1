/** Search in the archive. It has no index: each request examines a bounded part, and the answer says where the next one goes on. */
import type { Archived } from '../../model.js';
import type { ArchiveOnDisk, ArchivePlace } from './archiveOnDisk.js';

/** One request examines no more, because the thread of the shard waits for it: a few milliseconds. */
export const SEARCHED_ROWS = 500;
/** A longer one is examined alone. */
export const SEARCHED_CHARACTERS = 256 * 1024;

export const MAX_SEARCHED_TEXT = 100;

export interface FoundInArchive {
  readonly found: Archived[];
  /** The last one that was examined, whether it fits or not; undefined if there was none. */
  readonly last: Archived | undefined;
}

/** `kind`: null for all. */
interface Part {
  readonly kind: Archived['archived_kind'] | null;
  readonly before: ArchivePlace | null;
  readonly limit: number;
}

/** Those of the next rows whose title or description contains the text, in any case. */
export function searchArchive(archive: ArchiveOnDisk, text: string, { kind, before, limit }: Part): FoundInArchive {
  const wanted = text.toLowerCase();
  const found: Archived[] = [];
  let last: Archived | undefined;
  for (const row of archive.page(kind, before, SEARCHED_ROWS, SEARCHED_CHARACTERS)) {
    if (found.length === limit) break;
    last = row;
    if (contains(row, wanted)) found.push(row);
  }
  return { found, last };
}

function contains({ content: { card, column } }: Archived, wanted: string): boolean {
  const texts = [card?.title, card?.description, column?.title];
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}
