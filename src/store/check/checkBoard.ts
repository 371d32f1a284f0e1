/** Invariants of every board. */
import type { LoadedBoard } from '../../domain/board/board.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import { HELD_KINDS, type Kind } from '../../domain/model.js';
import { RANK_LIMIT } from '../../domain/board/order/rank.js';
import { isMissingReference } from '../../domain/board/ruleReferences.js';
import { placeOf, type RankedKind } from '../../domain/board/structure.js';

type Report = (kind: Kind, id: Uuid, problem: string) => void;

const RANKED: readonly RankedKind[] = ['column', 'card', 'checklist', 'item'];

/** The kind of the parent; records directly on the board have none to look up. */
const PARENTS = { card: 'column', checklist: 'card', item: 'checklist', attachment: 'card' } as const;

/** Each problem is a sentence about one entity. */
export function findBoardProblems(key: BoardKey, board: LoadedBoard): string[] {
  const problems: string[] = [];
  const report: Report = (kind, id, problem) => problems.push(`${kind} ${id} ${problem}`);
  checkIds(key, board, report);
  checkParents(board, report);
  checkRanks(board, report);
  checkNumbers(board, report);
  checkCovers(board, report);
  checkReferences(board, report);
  checkMembers(key, board, report);
  return problems;
}

function checkIds(key: BoardKey, { entities }: LoadedBoard, report: Report): void {
  for (const kind of HELD_KINDS) {
    if (kind === 'member') continue;
    for (const { id } of entities[kind]) if (boardKeyOf(id) !== key) report(kind, id, 'has the id of another board');
  }
}

function checkParents({ entities }: LoadedBoard, report: Report): void {
  for (const [kind, parentKind] of Object.entries(PARENTS) as [keyof typeof PARENTS, (typeof PARENTS)[keyof typeof PARENTS]][]) {
    const parents = idsOf(entities[parentKind]);
    for (const record of entities[kind]) {
      const parent = placeOf(kind, record, '')?.parent;
      if (parent !== undefined && parents.has(parent)) continue;
      report(kind, record.id, `is in a ${parentKind} that does not exist`);
    }
  }
}

/** Two siblings with the same rank have no order. */
function checkRanks({ entities }: LoadedBoard, report: Report): void {
  for (const kind of RANKED) {
    const taken = new Map<string, Uuid>();
    for (const record of entities[kind]) {
      const place = placeOf(kind, record, '');
      if (place === null) continue;
      const spot = `${place.parent} ${place.rank}`;
      const other = taken.get(spot);
      if (other !== undefined) report(kind, record.id, `has the same rank as ${other} beside it`);
      if (Math.abs(place.rank) > RANK_LIMIT) report(kind, record.id, `has the rank ${place.rank}, beyond the limit`);
      taken.set(spot, record.id);
    }
  }
}

function checkNumbers({ entities }: LoadedBoard, report: Report): void {
  const taken = new Map<number, Uuid>();
  for (const { id, number } of entities.card) {
    if (number === null) continue;
    const other = taken.get(number);
    if (other !== undefined) report('card', id, `has the same number as ${other}`);
    taken.set(number, id);
  }
}

function checkCovers({ entities }: LoadedBoard, report: Report): void {
  const cards = new Map(entities.attachment.map(({ id, card_id }) => [id, card_id]));
  for (const { id, cover } of entities.card) {
    if (cover === null || !('attachment_id' in cover) || cards.get(cover.attachment_id) === id) continue;
    report('card', id, `has the cover ${cover.attachment_id}, which is not among its attachments`);
  }
}

function checkReferences({ entities }: LoadedBoard, report: Report): void {
  const [labels, members, columns] = [idsOf(entities.label), idsOf(entities.member), idsOf(entities.column)];
  const check = (kind: Kind, id: Uuid, what: string, there: ReadonlySet<Uuid>, ids: readonly Uuid[]): void => {
    for (const missing of ids.filter((each) => !there.has(each))) {
      report(kind, id, `refers to the ${what} ${missing}, which does not exist`);
    }
    if (new Set(ids).size < ids.length) report(kind, id, `has the same ${what} twice`);
  };
  for (const { id, label_ids, assignee_ids } of entities.card) {
    check('card', id, 'label', labels, label_ids);
    check('card', id, 'member', members, assignee_ids);
  }
  for (const { id, assignee_ids } of entities.item) check('item', id, 'member', members, assignee_ids);
  for (const rule of entities.rule) {
    for (const column of present(rule.trigger_column_id, rule.action_column_id)) {
      check('rule', rule.id, 'column', columns, [column]);
    }
    check('rule', rule.id, 'label', labels, present(rule.trigger_label_id));
    check('rule', rule.id, 'member', members, present(rule.action_user_id));
    if (rule.is_enabled && isMissingReference(rule)) report('rule', rule.id, 'is enabled without a reference that it needs');
  }
}

function checkMembers(key: BoardKey, { entities }: LoadedBoard, report: Report): void {
  const [board] = entities.board;
  if (!entities.member.some(({ role }) => role === 'owner')) report('board', board?.id ?? key, 'has no owner');
  for (const { id, user } of entities.member) {
    if (user.id !== id) report('member', id, `has the profile of ${user.id}`);
  }
}

function present(...ids: readonly (Uuid | null)[]): Uuid[] {
  return ids.filter((id) => id !== null);
}

function idsOf(records: readonly { readonly id: Uuid }[]): ReadonlySet<Uuid> {
  return new Set(records.map(({ id }) => id));
}
