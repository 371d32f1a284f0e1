/** Resources for people to read. Texts of users cannot move the cursor. */
import type { BoardSummary, Card, Column, FullBoard } from '../../client/index.js';
import { printable, renderTable } from '../table.js';

/** What was created or changed, in one line: a script takes the first word. */
export function shownLine(answer: unknown): string {
  const { id, title } = answer as { readonly id: string; readonly title: string };
  return `${id}  ${printable(title)}\n`;
}

export function shownNothing(): string {
  return '';
}

export function shownBoards(boards: readonly BoardSummary[]): string {
  const rows = boards.map(({ id, title, role, members, updated_at }) => [id, title, role, String(members.length), updated_at]);
  return renderTable(['ID', 'TITLE', 'ROLE', 'MEMBERS', 'UPDATED'], rows);
}

export interface PlacedCard extends Card {
  /** The title of its column. */
  readonly column: string;
}

/** In the order of the board. */
export function cardsOf(columns: readonly Column[]): PlacedCard[] {
  return columns.flatMap(({ title: column, cards }) => cards.map((card) => ({ ...card, column })));
}

export function shownCards(cards: readonly PlacedCard[]): string {
  const rows = cards.map(({ id, number, column, title, labels, assignees }) => [
    id,
    numbered(number),
    column,
    title,
    names(labels),
    usernames(assignees),
  ]);
  return renderTable(['ID', 'NUMBER', 'COLUMN', 'TITLE', 'LABELS', 'ASSIGNED'], rows);
}

export function shownBoard({ id, title, description, members, columns }: FullBoard): string {
  const people = members.map(({ user, role }) => (role === 'member' ? user.username : `${user.username} (${role})`));
  const fields = fieldsOf([
    ['id', id],
    ['title', title],
    ['description', description ?? ''],
    ['members', people.join(', ')],
    ['columns', columns.map((column) => `${column.title} (${column.cards.length})`).join(', ')],
  ]);
  return `${fields}\n${shownCards(cardsOf(columns))}`;
}

export function shownCard(answer: unknown): string {
  const { id, number, title, description, labels, assignees, checklists, attachments, updated_at } = answer as Card;
  const items = checklists.flatMap((checklist) => [
    `\n${printable(checklist.title)}\n`,
    ...checklist.items.map(({ is_done, content }) => `  [${is_done ? 'x' : ' '}] ${printable(content)}\n`),
  ]);
  const fields = fieldsOf([
    ['id', id],
    ['number', numbered(number)],
    ['title', title],
    ['labels', names(labels)],
    ['assigned', usernames(assignees)],
    ['files', attachments.map(({ name }) => name).join(', ')],
    ['updated', updated_at],
  ]);
  const lines = (description ?? '').split('\n').map((line) => `${printable(line)}\n`);
  return `${fields}${description ? `\n${lines.join('')}` : ''}${items.join('')}`;
}

function fieldsOf(fields: ReadonlyArray<readonly [name: string, value: string]>): string {
  return fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${`${name}:`.padEnd(13)}${printable(value)}\n`)
    .join('');
}

function numbered(number: number | null): string {
  return number === null ? '' : `#${number}`;
}

function names(labels: ReadonlyArray<{ readonly name: string }>): string {
  return labels.map(({ name }) => name).join(', ');
}

function usernames(users: ReadonlyArray<{ readonly username: string }>): string {
  return users.map(({ username }) => username).join(', ');
}
