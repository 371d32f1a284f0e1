/** The board that the service shows, reduced to the fields of the model. */
import type { Cover, Role, RuleFields } from '../../../src/domain/model.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { ModelBoard, ModelCard, ModelColumn, ModelComment } from './boardModel.js';
import type { ModelVersions } from './modelTexts.js';

interface Ranked {
  readonly id: Uuid;
  readonly rank: number;
}

/** The dates that users give in these histories. */
export const GIVEN_DATES: readonly string[] = ['2030-01-01', '2030-03-01', '2030-02-01T00:00:00.000Z'];
/** Stands for the time at which a card entered a done column. */
export const BY_ITS_COLUMN = 'by its column';

/** The full board as it goes over the wire, as far as it is read here. */
export interface ShownBoard {
  readonly id: Uuid;
  readonly title: string;
  readonly description: string | null;
  readonly members: readonly { user_id: Uuid; role: Role; user: PublicUser }[];
  readonly labels: readonly { id: Uuid; name: string }[];
  readonly columns: readonly (Ranked & { title: string; is_done_column: boolean; cards: readonly ShownCard[] })[];
}

export interface ShownCard extends Ranked {
  readonly number: number;
  readonly cover: Cover | null;
  readonly title: string;
  readonly description: string | null;
  readonly text_version: number;
  readonly start_at: string | null;
  readonly due_at: string | null;
  readonly completed_at: string | null;
  readonly reminder_minutes: number | null;
  readonly comment_count: number;
  readonly labels: readonly { id: Uuid; name: string }[];
  readonly assignees: readonly PublicUser[];
  readonly attachments: readonly { id: Uuid; url: string | null }[];
  readonly checklists: readonly (Ranked & { title: string; items: readonly ShownItem[] })[];
}

interface ShownItem extends Ranked {
  readonly content: string;
  readonly is_done: boolean;
  readonly assignees: readonly PublicUser[];
}

/** What is read apart from the board. */
export interface ReadApart {
  /** Of a card, the newest first. */
  comments(card: Uuid): ModelComment[];
  versions(card: ShownCard): ModelVersions;
}

export type ShownRule = RuleFields & { readonly id: Uuid };

/** What the service lists as archived. Of a column it shows no cards: they are read one by one. */
export interface ShownArchive {
  readonly cards: readonly (ShownCard & { readonly column_id: Uuid })[];
  readonly columns: ShownBoard['columns'];
}

const NO_ARCHIVE: ShownArchive = { cards: [], columns: [] };

export function toModel(
  board: ShownBoard,
  rules: readonly ShownRule[],
  apart: ReadApart,
  last_number: number,
  archive: ShownArchive = NO_ARCHIVE,
): ModelBoard {
  const { id, title, description } = board;
  return {
    id,
    title,
    description,
    members: board.members.map(({ user_id, role, user }) => ({ id: user_id, role, user })),
    labels: board.labels.map((label) => ({ id: label.id, name: label.name })),
    columns: board.columns.map((column) => toColumn(column, apart)),
    rules: rules.map(ruleFields),
    last_number,
    archive: {
      cards: byId(
        archive.cards.map((card) => ({ card: toCard(card, apart), column: card.column_id })),
        ({ card }) => card.id,
      ),
      columns: byId(
        archive.columns.map((column) => toColumn(column, apart)),
        ({ id: column }) => column,
      ),
    },
  };
}

/** The order of the archive is that of time, which the model has not. */
export function byId<Thing>(things: readonly Thing[], idOf: (thing: Thing) => Uuid): Thing[] {
  return [...things].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

function toColumn(column: ShownBoard['columns'][number], apart: ReadApart): ModelColumn {
  const { id, title, is_done_column } = column;
  return { id, title, is_done_column, cards: column.cards.map((card) => toCard(card, apart)) };
}

function toCard(card: ShownCard, apart: ReadApart): ModelCard {
  return {
    id: card.id,
    number: card.number,
    cover: card.cover,
    title: card.title,
    description: card.description,
    start_at: card.start_at,
    due_at: card.due_at,
    completed_at: card.completed_at === null || GIVEN_DATES.includes(card.completed_at) ? card.completed_at : BY_ITS_COLUMN,
    reminder_minutes: card.reminder_minutes,
    labels: idsOf(card.labels),
    assignees: idsOf(card.assignees),
    checklists: card.checklists.map((checklist) => ({
      id: checklist.id,
      title: checklist.title,
      items: checklist.items.map(({ id, content, is_done, assignees }) => {
        return { id, content, is_done, assignees: idsOf(assignees) };
      }),
    })),
    attachments: idsOf(card.attachments.filter(({ url }) => url === null)),
    links: idsOf(card.attachments.filter(({ url }) => url !== null)),
    versions: apart.versions(card),
    comments: apart.comments(card.id),
  };
}

/** Cards must show the same labels and users as the board. */
export function copiesOf(board: ShownBoard): { shown: unknown[]; actual: unknown[] } {
  const users = new Map(board.members.map(({ user }) => [user.id, user]));
  const labels = new Map(board.labels.map((label) => [label.id, label]));
  const cards = board.columns.flatMap((column) => column.cards);
  const items = cards.flatMap(({ checklists }) => checklists.flatMap((checklist) => checklist.items));
  const assignees = [...cards, ...items].flatMap((thing) => thing.assignees);
  const labelled = cards.flatMap((card) => card.labels);
  return {
    shown: [...assignees, ...labelled],
    actual: [...assignees.map(({ id }) => users.get(id)), ...labelled.map(({ id }) => labels.get(id))],
  };
}

/** Every list whose order is by rank, as its ranks. */
export function ranksOf(board: ShownBoard): number[][] {
  const cards = board.columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  const lists: readonly (readonly Ranked[])[] = [
    board.columns,
    ...board.columns.map((column) => column.cards),
    ...cards.map((card) => card.checklists),
    ...checklists.map((checklist) => checklist.items),
  ];
  return lists.map((list) => list.map(({ rank }) => rank));
}

function ruleFields(rule: ShownRule): ShownRule {
  return {
    id: rule.id,
    name: rule.name,
    trigger_type: rule.trigger_type,
    trigger_column_id: rule.trigger_column_id,
    trigger_label_id: rule.trigger_label_id,
    action_type: rule.action_type,
    action_column_id: rule.action_column_id,
    action_user_id: rule.action_user_id,
    is_enabled: rule.is_enabled,
  };
}

function idsOf(things: readonly { readonly id: Uuid }[]): Uuid[] {
  return things.map(({ id }) => id);
}
