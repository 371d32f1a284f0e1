/** Writes a whole board at once, from its plan. */
import type { Draft } from '../board/draft.js';
import { archiveImported } from '../board/archive/archiving.js';
import { bytesOfComment } from '../board/comments/commentsOnDisk.js';
import { created, createdBy } from '../board/creation.js';
import { mentionFinder, type MentionFinder } from '../board/comments/mentions.js';
import type { Uuid } from '../ids.js';
import type { ImportedBoard, ImportedCard, ImportedChecklist, ImportedColumn, ImportedRule } from './importedBoard.js';
import type { BoardRecord, RuleFields, Timestamps } from '../model.js';
import { MAX_ON_ONE } from '../limits.js';
import { numbersFor } from '../board/order/numbering.js';
import { isMissingReference } from '../board/ruleReferences.js';
import { need } from '../board/view.js';
import { toPublicUser } from '../account/user.js';
import { RANK_GAP } from '../content/defaults.js';

/** Given times are kept, so a card keeps its age. The importer becomes the author. */
export function writeImport(draft: Draft, plan: ImportedBoard): BoardRecord {
  const { title, description, color = null, icon = null } = plan;
  const board = { id: draft.id, title, description, color, icon, archived: null, ...createdBy(draft), ...timesIn(plan) };
  draft.put('board', board);
  for (const { user, role } of [...plan.members, { user: plan.importer, role: 'owner' as const }]) {
    draft.put('member', {
      id: user.id,
      role,
      user: toPublicUser(user),
      is_starred: false,
      assignable_since: 0,
      reminder_minutes: null,
      ...created(draft),
    });
  }
  const labels = risingIds(draft, plan.labels.length);
  plan.labels.forEach(({ name, color, ...times }, index) => {
    draft.put('label', { id: at(labels, index), name, color, ...created(draft), ...timesIn(times) });
  });
  const numbers = numbersFor(plan.columns.flatMap(({ cards }) => cards.map(({ number }) => number)));
  const context: Written = { labels, mentionsIn: mentionFinder(draft), numbers: numbers.values() };
  const columns = plan.columns.map((column, index) => writeColumn(draft, column, rankAt(index), context));
  writeRules(draft, plan.rules, { columns, labels });
  return need(draft, 'board', board.id);
}

/** What is there before the columns. */
interface Written {
  readonly labels: readonly Uuid[];
  readonly mentionsIn: MentionFinder;
  /** For the cards, in their order. */
  readonly numbers: Iterator<number>;
}

function writeColumn(draft: Draft, column: ImportedColumn, rank: number, written: Written): Uuid {
  const { title, color, is_done_column, cards } = column;
  const id = draft.newId();
  draft.put('column', { id, title, rank, color, is_done_column, ...createdBy(draft), ...timesIn(column) });
  const archived = new Map<Uuid, string>();
  cards.forEach((card, index) => {
    const card_id = writeCard(draft, card, { column_id: id, rank: rankAt(index) }, written);
    if (typeof card.archived_at === 'string') archived.set(card_id, card.archived_at);
  });
  archiveImported(draft, id, column.archived_at ?? null, archived);
  return id;
}

function writeCard(draft: Draft, card: ImportedCard, place: { readonly column_id: Uuid; readonly rank: number }, written: Written): Uuid {
  const id = draft.newId();
  const { now, caller } = draft;
  // One literal: with spreads, making the records of fifty thousand cards took a second.
  draft.put('card', {
    id,
    column_id: place.column_id,
    rank: place.rank,
    title: card.title,
    description: card.description,
    start_at: card.start_at,
    due_at: card.due_at,
    completed_at: card.completed_at,
    reminder_minutes: card.reminder_minutes ?? null,
    number: next(written.numbers),
    cover: card.cover,
    comment_count: card.comments.length,
    comment_bytes: card.comments.reduce((sum, comment) => sum + bytesOfComment(comment), 0),
    text_edits: 0,
    label_ids: card.labels.map((label) => at(written.labels, label)),
    assignee_ids: card.assignee_ids,
    created_at: card.created_at ?? now,
    updated_at: card.updated_at ?? now,
    created_by: caller,
    updated_by: caller,
  });
  card.checklists.forEach((checklist, index) => writeChecklist(draft, checklist, id, rankAt(index)));
  const comments = writeComments(draft, id, card.comments, written);
  const files = new Map<Uuid, number>();
  for (const { id: attachment, comment = null, name, mime_type, size, digest, url, ...times } of card.attachments) {
    const comment_id = comment === null ? null : withRoom(files, at(comments, comment));
    const record = { id: attachment ?? draft.newId(), card_id: id, comment_id, name, mime_type, size, digest, url };
    draft.put('attachment', { ...record, ...created(draft), ...timesIn(times) });
  }
  return id;
}

/** The comment as the place of a further file; null if it has as many as one may have, so that the file is the card's own. */
function withRoom(files: Map<Uuid, number>, comment: Uuid): Uuid | null {
  const count = files.get(comment) ?? 0;
  if (count >= MAX_ON_ONE.files) return null;
  files.set(comment, count + 1);
  return comment;
}

function writeComments(draft: Draft, card_id: Uuid, comments: ImportedCard['comments'], { mentionsIn }: Written): readonly Uuid[] {
  const ids = risingIds(draft, comments.length);
  comments.forEach(({ created_by, author_name, body, ...times }, index) => {
    const mention_ids = mentionsIn(body).slice(0, MAX_ON_ONE.mentions);
    const own = { id: at(ids, index), card_id, created_by, author_name, body, mention_ids, text_version: 1 };
    draft.put('comment', { ...own, ...created(draft), ...timesIn(times) });
  });
  return ids;
}

function writeChecklist(draft: Draft, checklist: ImportedChecklist, card_id: Uuid, rank: number): void {
  const id = draft.newId();
  draft.put('checklist', { id, card_id, title: checklist.title, rank, ...created(draft), ...timesIn(checklist) });
  checklist.items.forEach((item, index) => {
    const { content, is_done, due_at, assignee_ids } = item;
    const own = { id: draft.newId(), checklist_id: id, content, is_done, due_at, rank: rankAt(index), assignee_ids };
    draft.put('item', { ...own, ...created(draft), ...timesIn(item) });
  });
}

function writeRules(
  draft: Draft,
  rules: readonly ImportedRule[],
  { columns, labels }: { readonly columns: readonly Uuid[]; readonly labels: readonly Uuid[] },
): void {
  const ids = risingIds(draft, rules.length);
  /** An archived column is none for rules. */
  const onBoard = (place: number | null): Uuid | null => {
    const id = place === null ? null : at(columns, place);
    return id === null || draft.get('column', id) === undefined ? null : id;
  };
  rules.forEach((rule, index) => {
    const { name, trigger_type, trigger_column, trigger_label, action_type, action_column, action_user_id } = rule;
    const fields: RuleFields = {
      name,
      trigger_type,
      trigger_column_id: onBoard(trigger_column),
      trigger_label_id: trigger_label === null ? null : at(labels, trigger_label),
      action_type,
      action_column_id: onBoard(action_column),
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

function next(numbers: Iterator<number>): number {
  const step = numbers.next();
  if (step.done === true) throw new Error('an imported board has more cards than numbers');
  return step.value;
}

function timesIn({ created_at, updated_at }: Partial<Timestamps>): Partial<Timestamps> {
  return {
    ...(created_at === undefined ? {} : { created_at }),
    ...(updated_at === undefined ? {} : { updated_at }),
  };
}
