/** Boards of any content that the model allows, to check that the store returns exactly what it stored. */
import * as fc from 'fast-check';
import { boardKeyOf, IdSource, type BoardKey } from '../../src/domain/ids.js';
import {
  ACTION_TYPES,
  HELD_KINDS,
  KINDS,
  TRIGGER_TYPES,
  TRASHED_KINDS,
  WATCHED_KINDS,
  type Change,
  type Entities,
  type Kind,
} from '../../src/domain/model.js';
import type { PublicUser } from '../../src/domain/account/user.js';

// Drawn and not generated, because they must differ from run to run of a property.
const ids = new IdSource();

function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record<T>(model, { noNullPrototype: true });
}

// Any code points, including NUL, quotes and characters outside the BMP.
const text = fc.string({ unit: 'binary', maxLength: 40 });
const textOrNull = fc.option(text);
const rank = fc.maxSafeInteger();
const freshId = fc.constant(null).map(() => ids.fresh());
const freshIdOrNull = fc.option(freshId);
const idList = fc.array(freshId, { maxLength: 4 });
const timestamps = { created_at: text, updated_at: text };
const authorship = { created_by: freshIdOrNull, updated_by: freshIdOrNull };

const profile: fc.Arbitrary<PublicUser> = record({
  id: freshId,
  email: text,
  username: text,
  firstname: textOrNull,
  lastname: textOrNull,
  is_active: fc.boolean(),
  is_verified: fc.boolean(),
  is_superuser: fc.boolean(),
});

const totals = fc.option(
  record({ columns: fc.nat(), cards: fc.nat(), items: fc.nat(), bytes: fc.nat(), attachment_bytes: fc.nat(), comment_bytes: fc.nat() }),
);

/** Every kind on the board with this key. */
function entitiesOf(key: BoardKey): { [K in Kind]: fc.Arbitrary<Entities[K]> } {
  const id = fc.constant(null).map(() => ids.onBoard(key));
  const idOrNull = fc.option(id);
  return {
    board: record({ id, title: text, description: textOrNull, color: textOrNull, icon: textOrNull, archived: totals, ...timestamps, ...authorship }),
    member: record({
      id: freshId,
      role: fc.constantFrom('owner', 'member'),
      user: profile,
      is_starred: fc.boolean(),
      assignable_since: fc.nat(),
      reminder_minutes: fc.option(fc.integer({ min: -1, max: 43_200 })),
      ...timestamps,
    }),
    column: record({
      id,
      title: text,
      rank,
      color: text,
      is_done_column: fc.boolean(),
      ...timestamps,
      ...authorship,
    }),
    card: record({
      id,
      column_id: id,
      title: text,
      description: textOrNull,
      rank,
      label_ids: idList,
      assignee_ids: idList,
      ...timestamps,
      ...authorship,
      start_at: textOrNull,
      due_at: textOrNull,
      completed_at: textOrNull,
      comment_count: fc.nat(),
      comment_bytes: fc.nat(),
      text_edits: fc.nat(),
      number: fc.option(fc.nat()),
      reminder_minutes: fc.option(fc.integer({ min: -1, max: 43_200 })),
      cover: fc.option(fc.oneof(record({ color: text }), record({ attachment_id: id }))),
    }),
    label: record({ id, name: text, color: text, ...timestamps }),
    checklist: record({ id, card_id: id, title: text, rank, ...timestamps }),
    item: record({
      id,
      checklist_id: id,
      content: text,
      is_done: fc.boolean(),
      due_at: textOrNull,
      rank,
      assignee_ids: idList,
      ...timestamps,
    }),
    attachment: record({
      id,
      card_id: id,
      name: text,
      mime_type: text,
      size: fc.nat(),
      digest: fc.option(text),
      url: fc.constant(null),
      comment_id: idOrNull,
      ...timestamps,
    }),
    rule: record({
      id,
      name: text,
      trigger_type: fc.constantFrom(...TRIGGER_TYPES),
      trigger_column_id: idOrNull,
      trigger_label_id: idOrNull,
      action_type: fc.constantFrom(...ACTION_TYPES),
      action_column_id: idOrNull,
      action_user_id: freshIdOrNull,
      is_enabled: fc.boolean(),
      ...timestamps,
    }),
    comment: record({
      id,
      card_id: id,
      created_by: freshIdOrNull,
      author_name: text,
      body: text,
      mention_ids: idList,
      text_version: fc.nat(),
      ...timestamps,
    }),
    version: record({
      id,
      text: textOrNull,
      bytes: fc.nat(),
      written_by: freshIdOrNull,
      written_at: textOrNull,
      created_by: freshIdOrNull,
      ...timestamps,
    }),
    watch: record({
      id,
      user_id: freshId,
      target_id: id,
      target_kind: fc.constantFrom(...WATCHED_KINDS),
      is_on: fc.boolean(),
      ...timestamps,
    }),
    moved: record({
      id,
      state: fc.constantFrom('leaving', 'refused', 'gone'),
      new_id: freshId,
      target_board_id: freshId,
      column_id: freshId,
      position: fc.option(fc.nat()),
      moved_by: freshId,
      refusal: fc.option(fc.record({ code: fc.constantFrom('forbidden', 'limit'), detail: text })),
      ...timestamps,
    }),
    archived: record({
      id,
      archived_kind: fc.constantFrom('card', 'column'),
      archived_at: text,
      column_id: idOrNull,
      with_column: fc.boolean(),
      seq: fc.nat(),
      bytes: fc.nat(),
      content: record({ card_count: fc.nat() }),
      ...timestamps,
    }),
    trashed: record({
      id,
      entry_id: id,
      part: fc.nat(),
      trashed_kind: fc.constantFrom(...TRASHED_KINDS),
      title: text,
      deleted_by: freshIdOrNull,
      seq: fc.nat(),
      columns: fc.nat(),
      cards: fc.nat(),
      labels: fc.nat(),
      items: fc.nat(),
      bytes: fc.nat(),
      attachment_bytes: fc.nat(),
      comment_bytes: fc.nat(),
      content: record({ labelled: fc.array(fc.tuple(id, fc.nat()), { maxLength: 2 }) }),
      ...timestamps,
    }),
  };
}

export type BoardContent = { [K in Kind]: Entities[K][] };

/** The same board before and after some of its entities changed. */
export interface ChangedBoard {
  readonly key: BoardKey;
  readonly before: BoardContent;
  readonly after: BoardContent;
}

export const changedBoard: fc.Arbitrary<ChangedBoard> = fc
  .constant(null)
  .map(() => boardKeyOf(ids.fresh()))
  .chain((key) => fc.record({ key: fc.constant(key), before: content(key), after: content(key) }))
  .map(({ key, before, after }) => ({ key, before, after: keepIds(before, after) }));

function content(key: BoardKey): fc.Arbitrary<BoardContent> {
  const { board, ...others } = entitiesOf(key);
  const some = <T>(entity: fc.Arbitrary<T>) => fc.array(entity, { maxLength: 4 });
  return record({
    board: board.map((record) => [record]),
    member: some(others.member),
    column: some(others.column),
    card: some(others.card),
    label: some(others.label),
    checklist: some(others.checklist),
    item: some(others.item),
    attachment: some(others.attachment),
    rule: some(others.rule),
    comment: some(others.comment),
    version: some(others.version),
    watch: some(others.watch),
    moved: some(others.moved),
    archived: some(others.archived),
    trashed: some(others.trashed),
  });
}

/** Gives entities of `after` the ids of those in `before`, as far as there are any: those are updates. */
function keepIds(before: BoardContent, after: BoardContent): BoardContent {
  const entries = KINDS.map((kind) => [kind, after[kind].map((entity, n) => ({ ...entity, id: before[kind][n]?.id ?? entity.id }))]);
  return Object.fromEntries(entries) as BoardContent;
}

export function puts(content: BoardContent): Change[] {
  return KINDS.flatMap((kind) => content[kind].map((put) => ({ kind, put }) as Change));
}

/** The changes from one content to the other. */
export function difference(before: BoardContent, after: BoardContent): Change[] {
  const removals = KINDS.flatMap((kind) => {
    const kept = new Set(after[kind].map(({ id }) => id));
    return before[kind].filter(({ id }) => !kept.has(id)).map(({ id }) => ({ kind, remove: id }) as Change);
  });
  return [...removals, ...puts(after)];
}

/** What a load of the board gives: comments and the archive stay on disk. */
export function sortedById(content: BoardContent): Omit<BoardContent, 'comment' | 'version' | 'archived' | 'trashed'> {
  const entries = HELD_KINDS.map((kind) => [kind, [...content[kind]].sort((a, b) => (a.id < b.id ? -1 : 1))]);
  return Object.fromEntries(entries) as BoardContent;
}
