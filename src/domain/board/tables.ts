import type { Uuid } from '../ids.js';
import type { Entities, HeldKind, Kind } from '../model.js';

/** Records by kind and id; `Mark` may stand in the place of a record. */
export type Tables<Mark = never, Kinds extends Kind = Kind> = { readonly [K in Kinds]: Map<Uuid, Entities[K] | Mark> };

export function emptyTables(): Tables<never, HeldKind> {
  return {
    board: new Map(),
    member: new Map(),
    column: new Map(),
    card: new Map(),
    label: new Map(),
    checklist: new Map(),
    item: new Map(),
    attachment: new Map(),
    rule: new Map(),
  };
}
