/** The board that the service shows, reduced to the fields of the model. */
import type { RuleFields } from '../../../src/domain/model.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { ModelBoard } from './boardModel.js';

interface Ranked {
  readonly id: Uuid;
  readonly rank: number;
}

/** The full board as it goes over the wire, as far as it is read here. */
export interface ShownBoard {
  readonly id: Uuid;
  readonly title: string;
  readonly description: string | null;
  readonly members: readonly { user_id: Uuid; role: string; user: PublicUser }[];
  readonly labels: readonly { id: Uuid; name: string }[];
  readonly columns: readonly (Ranked & { title: string; is_done_column: boolean; cards: readonly ShownCard[] })[];
}

export interface ShownCard extends Ranked {
  readonly title: string;
  readonly description: string | null;
  readonly labels: readonly { id: Uuid; name: string }[];
  readonly assignees: readonly PublicUser[];
  readonly attachments: readonly { id: Uuid }[];
  readonly checklists: readonly (Ranked & { title: string; items: readonly ShownItem[] })[];
}

interface ShownItem extends Ranked {
  readonly content: string;
  readonly is_done: boolean;
  readonly assignees: readonly PublicUser[];
}

export type ShownRule = RuleFields & { readonly id: Uuid };

export function toModel(board: ShownBoard, rules: readonly ShownRule[]): ModelBoard {
  const { id, title, description } = board;
  return {
    id,
    title,
    description,
    members: board.members.map(({ user_id, role, user }) => ({ id: user_id, role, user })),
    labels: board.labels.map((label) => ({ id: label.id, name: label.name })),
    columns: board.columns.map((column) => ({
      id: column.id,
      title: column.title,
      is_done_column: column.is_done_column,
      cards: column.cards.map((card) => ({
        id: card.id,
        title: card.title,
        description: card.description,
        labels: idsOf(card.labels),
        assignees: idsOf(card.assignees),
        checklists: card.checklists.map((checklist) => ({
          id: checklist.id,
          title: checklist.title,
          items: checklist.items.map(({ id, content, is_done, assignees }) => {
            return { id, content, is_done, assignees: idsOf(assignees) };
          }),
        })),
        attachments: idsOf(card.attachments),
      })),
    })),
    rules: rules.map(ruleFields),
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
