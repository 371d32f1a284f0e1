/** Boards and what is on them as the API shows them. */
import type * as v from 'valibot';
import type * as resources from '../../../src/api/schemas/resources.js';

export type BoardJson = v.InferOutput<typeof resources.FullBoard>;
export type ColumnJson = v.InferOutput<typeof resources.Column>;
export type CardJson = v.InferOutput<typeof resources.Card>;
export type LabelJson = v.InferOutput<typeof resources.Label>;
export type ChecklistJson = v.InferOutput<typeof resources.Checklist>;
export type ItemJson = v.InferOutput<typeof resources.ChecklistItem>;
export type AttachmentJson = v.InferOutput<typeof resources.Attachment>;
export type CommentJson = v.InferOutput<typeof resources.Comment>;
export type RuleJson = v.InferOutput<typeof resources.AutomationRule>;
export type EventJson = v.InferOutput<typeof resources.NumberedEvent>;
export type EventPageJson = v.InferOutput<typeof resources.EventPage>;

/** Everything that can be read of a board. */
export interface Snapshot {
  readonly seq: number;
  readonly board: BoardJson;
  readonly rules: readonly RuleJson[];
  /** Every resource by its id, as GET shows it; members by the id of their user. */
  readonly resources: ReadonlyMap<string, object>;
}

/** The first page of the archive. */
export interface ArchiveJson {
  readonly cards: readonly CardJson[];
  readonly columns: ReadonlyArray<ColumnJson & { readonly card_count: number }>;
  readonly next: string | null;
}

export function resourcesOf(
  board: BoardJson,
  rules: readonly RuleJson[],
  comments: readonly CommentJson[],
  archive: ArchiveJson,
): ReadonlyMap<string, object> {
  const { columns, ...summary } = board;
  const cards = columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  const items = checklists.flatMap((checklist) => checklist.items);
  const attachments = cards.flatMap((card) => card.attachments);
  const own = [
    ...columns,
    ...cards,
    ...board.labels,
    ...checklists,
    ...items,
    ...attachments,
    ...rules,
    ...comments,
    ...archive.cards,
    ...archive.columns,
  ];
  return new Map<string, object>([
    [board.id, summary],
    ...own.map((resource) => [resource.id, resource] as const),
    ...board.members.map((member) => [member.user_id, member] as const),
  ]);
}
