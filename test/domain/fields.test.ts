import t, { type Test } from 'tap';
import * as v from 'valibot';
import { IncomingBoard } from '../../src/api/schemas/transferSchemas.js';
import { BoardState } from '../../src/domain/board/board.js';
import { ownBytes } from '../../src/domain/board/boardSize.js';
import { cardOpening, OWN_FIELDS } from '../../src/domain/board/wireFields.js';
import { decide } from '../../src/domain/commands/decide.js';
import type { BoardDocument } from '../../src/domain/document/boardDocument.js';
import { boardKeyOf, IdSource, type Uuid } from '../../src/domain/ids.js';
import { HELD_KINDS, KINDS, type ArchivedContent, type Change, type Entities, type HeldKind, type Kind } from '../../src/domain/model.js';
import { toPublicUser } from '../../src/domain/account/user.js';
import { planImport } from '../../src/transfer/importPlan.js';
import { Omissions } from '../../src/transfer/omissions.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { NO_VERSIONS } from '../../src/domain/board/versions/versionsOnDisk.js';
import { NO_MOVES } from '../../src/domain/board/moves/movesOnDisk.js';
import { NO_WATCHES, watchId } from '../../src/domain/board/watching/watchesOnDisk.js';
import { NO_TRASH } from '../../src/domain/board/trash/trashOnDisk.js';
import { memoryArchive } from '../support/board/memoryArchive.js';
import { NO_ACTIVITY } from '../../src/domain/board/activity/activityOnDisk.js';
import { memoryComments } from '../support/board/memoryComments.js';

/** The ids of one board differ in their last digits. */
const idOf = (digits: number): Uuid => `b0a2db0a-2d00-4000-8000-${String(digits).padStart(12, '0')}`;
const [BOARD, ANN, COLUMN, CARD, LABEL, CHECKLIST, ITEM, FILE, RULE, COMMENT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(idOf) as [
  Uuid,
  Uuid,
  Uuid,
  Uuid,
  Uuid,
  Uuid,
  Uuid,
  Uuid,
  Uuid,
  Uuid,
];
/** Marks what a user writes. It is a colour too. */
const TEXT = 'teal';
const times = { created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-02T00:00:00.000Z' };
const marks = { ...times, created_by: ANN, updated_by: ANN };
const flags = { is_active: true, is_verified: true, is_superuser: true };
const user = { id: ANN, email: TEXT, username: TEXT, firstname: TEXT, lastname: TEXT, ...flags };

const dates = { start_at: '2031-01-02', due_at: '2031-02-03T04:05:06.000Z', completed_at: '2031-01-03', reminder_minutes: 90 };
const NO_COMMENTS = { comment_count: 0, comment_bytes: 0, text_edits: 0 };
const counts = { number: 7, cover: { color: TEXT }, comment_count: 1, comment_bytes: 512 + TEXT.length, text_edits: 0 };

const [CARD2, CHECKLIST2, ITEM2, FILE2] = [13, 15, 16, 17].map(idOf) as [Uuid, Uuid, Uuid, Uuid];

/** What is on a card of the archive. */
const content = {
  card: {
    id: CARD2,
    column_id: COLUMN,
    title: TEXT,
    description: TEXT,
    rank: 1,
    label_ids: [LABEL],
    assignee_ids: [ANN],
    number: 8,
    cover: { color: TEXT },
    ...NO_COMMENTS,
    ...dates,
    ...marks,
  },
  checklists: [{ id: CHECKLIST2, card_id: CARD2, title: TEXT, rank: 1, ...times }],
  items: [{ id: ITEM2, checklist_id: CHECKLIST2, content: TEXT, is_done: true, due_at: '2031-02-03', rank: 1, assignee_ids: [ANN], ...times }],
  attachments: [{ id: FILE2, card_id: CARD2, comment_id: null, name: TEXT, mime_type: `text/${TEXT}`, size: 3, digest: 'd', url: null, ...times }],
} satisfies ArchivedContent;
const ARCHIVED_BYTES =
  ownBytes('card', content.card) +
  ownBytes('checklist', content.checklists[0]) +
  ownBytes('item', content.items[0]) +
  ownBytes('attachment', content.attachments[0]);

/** One of each kind, together a board. The types make sure that every field is here; none may have its default. */
const RECORDS: { readonly [K in Kind]: Entities[K] } = {
  board: {
    id: BOARD,
    title: TEXT,
    description: TEXT,
    color: TEXT,
    icon: '🚀',
    archived: { columns: 0, cards: 1, items: 3, bytes: ARCHIVED_BYTES, attachment_bytes: 3, comment_bytes: 0 },
    ...marks,
  },
  member: { id: ANN, role: 'owner', user, is_starred: true, assignable_since: 1, reminder_minutes: 60, ...times },
  column: { id: COLUMN, title: TEXT, rank: 1, color: TEXT, is_done_column: true, ...marks },
  card: {
    id: CARD,
    column_id: COLUMN,
    title: TEXT,
    description: TEXT,
    rank: 1,
    label_ids: [LABEL],
    assignee_ids: [ANN],
    ...counts,
    ...dates,
    ...marks,
  },
  label: { id: LABEL, name: TEXT, color: TEXT, ...times },
  watch: { id: watchId(CARD, ANN), user_id: ANN, target_id: CARD, target_kind: 'card', is_on: true, ...times },
  moved: {
    id: CARD2,
    state: 'refused',
    new_id: CARD,
    target_board_id: BOARD,
    column_id: COLUMN,
    position: 1,
    moved_by: ANN,
    refusal: { code: 'forbidden', detail: TEXT },
    ...times,
  },
  checklist: { id: CHECKLIST, card_id: CARD, title: TEXT, rank: 1, ...times },
  item: { id: ITEM, checklist_id: CHECKLIST, content: TEXT, is_done: true, due_at: '2031-02-03', rank: 1, assignee_ids: [ANN], ...times },
  // A file; a link has other fields, see the tests of links.
  attachment: { id: FILE, card_id: CARD, comment_id: COMMENT, name: TEXT, mime_type: `text/${TEXT}`, size: 3, digest: 'd', url: null, ...times },
  rule: {
    id: RULE,
    name: TEXT,
    is_enabled: true,
    ...times,
    trigger_type: 'CARD_MOVED',
    trigger_column_id: COLUMN,
    trigger_label_id: LABEL,
    action_type: 'ASSIGN_MEMBER',
    action_column_id: COLUMN,
    action_user_id: ANN,
  },
  comment: { id: COMMENT, card_id: CARD, created_by: ANN, author_name: TEXT, body: TEXT, mention_ids: [], text_version: 1, ...times },
  version: { id: COMMENT, text: TEXT, bytes: 1, written_by: ANN, written_at: times.created_at, created_by: ANN, ...times },
  archived: {
    id: CARD2,
    archived_kind: 'card',
    archived_at: '2031-03-04T00:00:00.000Z',
    column_id: COLUMN,
    with_column: false,
    seq: 1,
    bytes: ARCHIVED_BYTES,
    content,
    ...times,
  },
  trashed: {
    id: CARD,
    entry_id: CARD,
    part: 1,
    trashed_kind: 'label',
    title: TEXT,
    deleted_by: ANN,
    seq: 1,
    columns: 1,
    cards: 1,
    labels: 1,
    items: 1,
    bytes: 1,
    attachment_bytes: 1,
    comment_bytes: 1,
    content: { labelled: [[CARD, 1]] },
    ...times,
  },
};

t.test('the text of a card is that of its fields', async (t) => {
  const { card } = content;
  const odd = { title: 'a "b" \\ \n \ud800 é', description: '"', cover: { attachment_id: FILE }, created_by: null, updated_by: null };
  const empty = { description: null, cover: null, start_at: null, due_at: null, completed_at: null, number: null };
  for (const record of [card, { ...card, ...odd }, { ...card, ...empty }]) {
    t.equal(`${cardOpening(record, BOARD)}}`, JSON.stringify(OWN_FIELDS.card(record, BOARD)));
  }
});

function shownBytes<K extends HeldKind>(kind: K, record: Entities[K]): number {
  const shownUser = 'user' in record ? JSON.stringify(toPublicUser(record.user)) : '';
  return JSON.stringify(OWN_FIELDS[kind](record, BOARD)).length + shownUser.length;
}

/** The record with one more character in each text, a text at a time, by the name of its field. */
function lengthened<T extends object>(record: T): Array<[field: string, record: T]> {
  return Object.entries(record).flatMap(([field, value]): Array<[string, T]> => {
    if (typeof value === 'string' && value.endsWith(TEXT)) return [[field, { ...record, [field]: `${value}x` }]];
    if (field !== 'user') return [];
    return lengthened(value as object).map(([inner, changed]) => [`user.${inner}`, { ...record, user: changed }]);
  });
}

function checkTexts<K extends HeldKind>(t: Test, kind: K): void {
  const record: Entities[K] = RECORDS[kind];
  const longer = lengthened(record);
  t.ok(longer.length > 0, `a ${kind} has texts`);
  for (const [field, changed] of longer) {
    t.equal(shownBytes(kind, changed) - shownBytes(kind, record), 1, `${field} of a ${kind} is shown`);
    t.equal(ownBytes(kind, changed, record), 1, `${field} of a ${kind} counts`);
  }
}

t.test('QUOTA3 every text of a record is shown, and counts in the size of its board', async (t) => {
  for (const kind of HELD_KINDS) checkTexts(t, kind);
});

const ids = new IdSource();
const context = { now: '2031-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => ids.onBoard(boardKeyOf(BOARD)) };

/** The board's document as another service would read it. */
function exported(): BoardDocument {
  const entities = Object.fromEntries(HELD_KINDS.map((kind) => [kind, [RECORDS[kind]]])) as { [K in HeldKind]: Entities[K][] };
  const board = BoardState.load(
    { epoch: '0', seq: 1, entities },
    {
      comments: memoryComments(() => [RECORDS.comment]),
      archive: memoryArchive(() => [RECORDS.archived]),
      activity: NO_ACTIVITY,
      trash: NO_TRASH,
      versions: NO_VERSIONS,
      watches: NO_WATCHES,
      moves: NO_MOVES,
    },
  );
  const { outcome } = decide(board, { op: 'board.export', caller: { user_id: ANN }, target: BOARD, input: {} }, context);
  if (!outcome.ok) throw new Error(outcome.error.detail);
  return v.parse(IncomingBoard, JSON.parse(outcome.json ?? '')) as BoardDocument;
}

function imported(document: BoardDocument): readonly Change[] {
  const leftOut = new Omissions();
  const takeFile = (mark: string) => ({ kind: 'stored', id: mark, size: RECORDS.attachment.size, digest: 'd' }) as const;
  const input = planImport(document, { importer: user, people: new Map([[TEXT, user]]), notInvited: new Set(), takeFile }, leftOut);
  const { outcome, changes } = decide(null, { op: 'board.import', caller: { user_id: ANN }, target: BOARD, input }, context);
  if (!outcome.ok || leftOut.notes.length > 0) throw new Error('the board does not fit');
  return changes;
}

/** The part that does not depend on the ids of a board: of references only their number. A member joins again, without a star and own reminders. */
function comparable(kind: Kind, record: object): object {
  const fields = Object.entries(record).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.length];
    return [name, name === 'rank' || /(^|_)id$/.test(name) ? value !== null : value];
  });
  const {
    created_at,
    updated_at,
    is_starred: _own,
    assignable_since: _since,
    seq: _seq,
    ...rest
  } = Object.fromEntries(fields) as Record<string, unknown>;
  if (kind === 'archived') return { ...rest, content: comparableContent(record as Entities['archived']) };
  return kind === 'member' ? { ...rest, reminder_minutes: null } : { ...rest, created_at, updated_at };
}

function comparableContent({ content }: Entities['archived']): object {
  const { card = {}, checklists = [], items = [], attachments = [] } = content;
  return [
    comparable('card', card),
    ...checklists.map((each) => comparable('checklist', each)),
    ...items.map((each) => comparable('item', each)),
    ...attachments.map((each) => comparable('attachment', each)),
  ];
}

t.test('FIELD3 every field of every record survives export and import', async (t) => {
  const changes = imported(exported());
  for (const kind of KINDS) {
    const records = changes.flatMap((change) => (change.kind === kind && 'put' in change ? [change.put] : []));
    t.strictSame(
      records.map((record) => comparable(kind, record)),
      // What was deleted, moved away or replaced is not exported, nor is what users watch.
      kind === 'trashed' || kind === 'version' || kind === 'watch' || kind === 'moved' ? [] : [comparable(kind, RECORDS[kind])],
      kind,
    );
  }
});
