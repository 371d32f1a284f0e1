/** Writes a whole board at once, from its plan. */
import type { Draft } from '../board/draft.js';
import { created, createdBy } from '../board/creation.js';
import type { Uuid } from '../ids.js';
import type { ImportedBoard, ImportedCard, ImportedChecklist, ImportedColumn, ImportedRule } from './importedBoard.js';
import type { BoardRecord, RuleFields, Timestamps } from '../model.js';
import { RANK_GAP } from '../board/order/rank.js';
import { isMissingReference } from '../board/ruleReferences.js';
import { toPublicUser } from '../account/user.js';

/** Given times are kept, so a card keeps its age. The importer becomes the author. */
export function writeImport(draft: Draft, plan: ImportedBoard): BoardRecord {
  const { title, description } = plan;
  const board = { id: draft.id, title, description, ...createdBy(draft), ...timesIn(plan) };
  draft.put('board', board);
  for (const { user, role } of [...plan.members, { user: plan.importer, role: 'owner' as const }]) {
    draft.put('member', { id: user.id, role, user: toPublicUser(user), ...created(draft) });
  }
  const labels = risingIds(draft, plan.labels.length);
  plan.labels.forEach(({ name, color, ...times }, index) => {
    draft.put('label', { id: at(labels, index), name, color, ...created(draft), ...timesIn(times) });
  });
  const columns = plan.columns.map((column, index) => writeColumn(draft, column, rankAt(index), labels));
  writeRules(draft, plan.rules, { columns, labels });
  return board;
}

function writeColumn(draft: Draft, column: ImportedColumn, rank: number, labels: readonly Uuid[]): Uuid {
  const { title, color, is_done_column, cards } = column;
  const id = draft.newId();
  draft.put('column', { id, title, rank, color, is_done_column, ...createdBy(draft), ...timesIn(column) });
  cards.forEach((card, index) => writeCard(draft, card, { column_id: id, rank: rankAt(index) }, labels));
  return id;
}

function writeCard(draft: Draft, card: ImportedCard, place: { readonly column_id: Uuid; readonly rank: number }, labels: readonly Uuid[]): void {
  const { title, description, assignee_ids } = card;
  const id = draft.newId();
  const label_ids = card.labels.map((label) => at(labels, label));
  const own = { id, ...place, title, description, label_ids, assignee_ids };
  draft.put('card', { ...own, ...createdBy(draft), ...timesIn(card) });
  card.checklists.forEach((checklist, index) => writeChecklist(draft, checklist, id, rankAt(index)));
  for (const { id: attachment, name, mime_type, size, digest, ...times } of card.attachments) {
    const record = { id: attachment, card_id: id, name, mime_type, size, digest };
    draft.put('attachment', { ...record, ...created(draft), ...timesIn(times) });
  }
}

function writeChecklist(draft: Draft, checklist: ImportedChecklist, card_id: Uuid, rank: number): void {
  const id = draft.newId();
  draft.put('checklist', { id, card_id, title: checklist.title, rank, ...created(draft), ...timesIn(checklist) });
  checklist.items.forEach((item, index) => {
    const { content, is_done, assignee_ids } = item;
    const own = { id: draft.newId(), checklist_id: id, content, is_done, rank: rankAt(index), assignee_ids };
    draft.put('item', { ...own, ...created(draft), ...timesIn(item) });
  });
}

function writeRules(
  draft: Draft,
  rules: readonly ImportedRule[],
  { columns, labels }: { readonly columns: readonly Uuid[]; readonly labels: readonly Uuid[] },
): void {
  const ids = risingIds(draft, rules.length);
  rules.forEach((rule, index) => {
    const { name, trigger_type, trigger_column, trigger_label, action_type, action_column, action_user_id } = rule;
    const fields: RuleFields = {
      name,
      trigger_type,
      trigger_column_id: trigger_column === null ? null : at(columns, trigger_column),
      trigger_label_id: trigger_label === null ? null : at(labels, trigger_label),
      action_type,
      action_column_id: action_column === null ? null : at(columns, action_column),
      action_user_id,
      is_enabled: rule.is_enabled,
    };
    const is_enabled = fields.is_enabled && !isMissingReference(fields);
    draft.put('rule', { id: at(ids, index), ...fields, is_enabled, ...created(draft), ...timesIn(rule) });
  });
}

/** Entries that users do not order are sorted by time and then by id: rising ids keep the plan's order. */
function risingIds(draft: Draft, count: number): Uuid[] {
  return Array.from({ length: count }, () => draft.newId()).sort();
}

function rankAt(index: number): number {
  return (index + 1) * RANK_GAP;
}

function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`an imported board refers to place ${index} of ${list.length}`);
  return element;
}

function timesIn({ created_at, updated_at }: Partial<Timestamps>): Partial<Timestamps> {
  return {
    ...(created_at === undefined ? {} : { created_at }),
    ...(updated_at === undefined ? {} : { updated_at }),
  };
}
