/** The times and authors that a new record has. */
import type { Draft } from './draft.js';
import type { Uuid } from '../ids.js';
import type { Authorship, Kind, Timestamps } from '../model.js';
import type { RankedKind } from './structure.js';

/** The marks of a record that is created now. */
export function created(draft: Draft): Timestamps {
  return { created_at: draft.now, updated_at: draft.now };
}

/** How far the youngest sibling may be ahead of the clock before the clock is believed: imported ones may be years. */
const FAR_AHEAD_MS = 1_000;

/** The same for records in order of creation: always later than its siblings, also within one millisecond. */
export function createdLast(draft: Draft, kind: Exclude<Kind, RankedKind | 'board'>, parent: Uuid): Timestamps {
  const siblings = draft.children(kind, parent);
  return createdAfter(draft, siblings.at(siblings.size - 1)?.rank ?? -Infinity);
}

/** The same after a record of this time. */
export function createdAfter(draft: Draft, youngest: number): Timestamps {
  const ahead = youngest - Date.parse(draft.now);
  if (ahead < 0 || ahead >= FAR_AHEAD_MS) return created(draft);
  const next = new Date(youngest + 1).toISOString();
  return { created_at: next, updated_at: next };
}

/** The fields of a record that also stores its authors. */
export function createdBy(draft: Draft): Timestamps & Authorship {
  const { now, caller } = draft;
  return { created_at: now, updated_at: now, created_by: caller, updated_by: caller };
}
