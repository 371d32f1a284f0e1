/** Undo and redo of a scenario, and what must be the same afterwards. */
import type { Test } from 'tap';
import type { PublicUser } from '../../src/domain/account/user.js';
import { HELD_KINDS } from '../../src/domain/model.js';
import { BOARD_ID, type Result, type Scenario } from './scenario.js';
import type { Content } from './undoReasons.js';

export function undo(scenario: Scenario, user: PublicUser, seq: number | null = null): Result {
  return scenario.ask(user, 'board.undo', BOARD_ID, { seq });
}

/** Undoes it, and redoes it. */
export function thereAndBack(t: Test, scenario: Scenario, user: PublicUser, change: () => unknown): void {
  const before = contentOf(scenario);
  change();
  const after = contentOf(scenario);
  const undone = undo(scenario, user);
  t.equal(undone.error, null);
  t.strictSame(contentOf(scenario), before, 'undone');
  const { seq } = undone.body as unknown as { seq: number };
  t.equal(undo(scenario, user, seq).error, null);
  t.strictSame(contentOf(scenario), after, 'redone');
}

/** All records without marks of who changed them last, and without sizes of what is on disk: the archive keeps labels that were deleted. */
export function contentOf(scenario: Scenario): Content {
  const entities = scenario.state.entities();
  const records = HELD_KINDS.flatMap((kind) => entities[kind].map((record) => [`${kind} ${record.id}`, plain(record)] as const));
  return Object.fromEntries(records.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function plain(record: object): unknown {
  const {
    updated_at: _at,
    updated_by: _by,
    comment_count: _count,
    comment_bytes: _bytes,
    text_edits: _edits,
    ...fields
  } = record as Record<string, unknown>;
  if (typeof fields['archived'] === 'object') fields['archived'] = { ...fields['archived'], bytes: null };
  // A label that is brought back is the last one.
  if ('name' in fields) delete fields['created_at'];
  for (const list of ['label_ids', 'assignee_ids']) if (Array.isArray(fields[list])) fields[list] = [...fields[list]].sort();
  return fields;
}

/** The same with what is in the archive, and what can be restored from the trash. */
export function wholeOf(scenario: Scenario): Content {
  const { archive, trash } = scenario.state;
  const rows = archive.index().flatMap(({ id }) => archive.find(id) ?? []);
  const archived = rows.map(({ id, column_id, with_column, content: { card = {}, column = {}, card_count } }) => {
    return [`archived ${id}`, { column_id, with_column, card_count, card: withoutLabels(card), column: plain(column) }] as const;
  });
  const trashed = trash.page('', null, 1_000).map(({ id, trashed_kind }) => [`trashed ${id}`, trashed_kind] as const);
  return { ...contentOf(scenario), ...Object.fromEntries([...archived, ...trashed].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The archive keeps labels that were deleted. */
function withoutLabels(card: object): unknown {
  return { ...(plain(card) as object), label_ids: null };
}
