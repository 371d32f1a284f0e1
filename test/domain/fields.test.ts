import t, { type Test } from 'tap';
import * as v from 'valibot';
import { IncomingBoard } from '../../src/api/schemas/transferSchemas.js';
import { BoardState } from '../../src/domain/board/board.js';
import { ownBytes } from '../../src/domain/board/boardSize.js';
import { OWN_FIELDS } from '../../src/domain/board/wireFields.js';
import { decide } from '../../src/domain/commands/decide.js';
import type { BoardDocument } from '../../src/domain/document/boardDocument.js';
import { boardKeyOf, IdSource, type Uuid } from '../../src/domain/ids.js';
import { KINDS, type Change, type Entities, type Kind } from '../../src/domain/model.js';
import { toPublicUser } from '../../src/domain/account/user.js';
import { planImport } from '../../src/transfer/importPlan.js';
import { Omissions } from '../../src/transfer/omissions.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';

/** The ids of one board differ in their last digits. */
const idOf = (digits: number): Uuid => `b0a2db0a-2d00-4000-8000-${String(digits).padStart(12, '0')}`;
const [BOARD, ANN, COLUMN, CARD, LABEL, CHECKLIST, ITEM, FILE, RULE] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(idOf) as [
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

/** One of each kind, together a board. The types make sure that every field is here; none may have its default. */
const RECORDS: { readonly [K in Kind]: Entities[K] } = {
  board: { id: BOARD, title: TEXT, description: TEXT, ...marks },
  member: { id: ANN, role: 'owner', user, ...times },
  column: { id: COLUMN, title: TEXT, rank: 1, color: TEXT, is_done_column: true, ...marks },
  card: { id: CARD, column_id: COLUMN, title: TEXT, description: TEXT, rank: 1, label_ids: [LABEL], assignee_ids: [ANN], ...marks },
  label: { id: LABEL, name: TEXT, color: TEXT, ...times },
  checklist: { id: CHECKLIST, card_id: CARD, title: TEXT, rank: 1, ...times },
  item: { id: ITEM, checklist_id: CHECKLIST, content: TEXT, is_done: true, rank: 1, assignee_ids: [ANN], ...times },
  attachment: { id: FILE, card_id: CARD, name: TEXT, mime_type: `text/${TEXT}`, size: 3, digest: 'd', ...times },
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
};

function shownBytes<K extends Kind>(kind: K, record: Entities[K]): number {
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

function checkTexts<K extends Kind>(t: Test, kind: K): void {
  const record = RECORDS[kind];
  const longer = lengthened(record);
  t.ok(longer.length > 0, `a ${kind} has texts`);
  for (const [field, changed] of longer) {
    t.equal(shownBytes(kind, changed) - shownBytes(kind, record), 1, `${field} of a ${kind} is shown`);
    t.equal(ownBytes(kind, changed, record), 1, `${field} of a ${kind} counts`);
  }
}

t.test('QUOTA3 every text of a record is shown, and counts in the size of its board', async (t) => {
  for (const kind of KINDS) checkTexts(t, kind);
});

const ids = new IdSource();
const context = { now: '2031-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => ids.onBoard(boardKeyOf(BOARD)) };

/** The board's document as another service would read it. */
function exported(): BoardDocument {
  const entities = Object.fromEntries(KINDS.map((kind) => [kind, [RECORDS[kind]]])) as { [K in Kind]: Entities[K][] };
  const board = BoardState.load({ epoch: '0', seq: 1, entities });
  const { outcome } = decide(board, { op: 'board.export', caller: { user_id: ANN }, target: BOARD, input: {} }, context);
  if (!outcome.ok) throw new Error(outcome.error.detail);
  return v.parse(IncomingBoard, JSON.parse(outcome.json ?? '')) as BoardDocument;
}

function imported(document: BoardDocument): readonly Change[] {
  const leftOut = new Omissions();
  const takeFile = () => ({ kind: 'stored', id: FILE, size: RECORDS.attachment.size, digest: 'd' }) as const;
  const input = planImport(document, { importer: user, people: new Map([[TEXT, user]]), notInvited: new Set(), takeFile }, leftOut);
  const { outcome, changes } = decide(null, { op: 'board.import', caller: { user_id: ANN }, target: BOARD, input }, context);
  if (!outcome.ok || leftOut.notes.length > 0) throw new Error('the board does not fit');
  return changes;
}

/** The part that does not depend on the ids of a board: of references only their number. A member joins again. */
function comparable(kind: Kind, record: object): object {
  const fields = Object.entries(record).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.length];
    return [name, name === 'rank' || /(^|_)id$/.test(name) ? value !== null : value];
  });
  const { created_at: _created, updated_at: _updated, ...rest } = Object.fromEntries(fields) as Record<string, unknown>;
  return kind === 'member' ? rest : (Object.fromEntries(fields) as object);
}

t.test('FIELD3 every field of every record survives export and import', async (t) => {
  const changes = imported(exported());
  for (const kind of KINDS) {
    const records = changes.flatMap((change) => (change.kind === kind && 'put' in change ? [change.put] : []));
    t.strictSame(
      records.map((record) => comparable(kind, record)),
      [comparable(kind, RECORDS[kind])],
      kind,
    );
  }
});
