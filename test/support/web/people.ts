/** Users of the browser application, and what they do through the API. */
import { createClient, type Client, type FullBoard, type ImportedBoard } from '../../../src/client/index.js';
import type { Api } from '../http/api.js';
import { newUser, type Registration, type TestUser } from '../http/users.js';

export interface Person extends TestUser {
  readonly api: Api;
  readonly client: Client;
}

export async function newPerson(api: Api, fields: Partial<Registration> = {}): Promise<Person> {
  const user = await newUser(api, fields);
  return { ...user, api, client: createClient({ baseUrl: api.url, token: user.token }) };
}

/** Titles of cards by the title of their column. */
export type Plan = Readonly<Record<string, readonly string[]>>;

/** A board of the first person; the others are members. */
export async function newBoard([owner, ...members]: readonly [Person, ...Person[]], plan: Plan, title = 'Plans'): Promise<FullBoard> {
  const columns = Object.entries(plan).map(([column, cards]) => ({ id: column, title: column, cards: cards.map((card) => ({ title: card })) }));
  const json = { format: 'switchboard-board', version: 1, title, columns };
  const { status, body } = await owner.api.request<ImportedBoard>('POST', '/boards/import', { token: owner.token, json });
  if (status !== 201) throw new Error(`the import answered ${status}: ${JSON.stringify(body)}`);
  const board_id = body.board.id;
  for (const { id: user_id } of members) await owner.client.member.add({ board_id }, { user_id });
  return owner.client.board.get({ board_id });
}

export function columnIn(board: FullBoard, title: string): FullBoard['columns'][number] {
  const column = board.columns.find((each) => each.title === title);
  if (column === undefined) throw new Error(`the board has no column ${title}`);
  return column;
}

export function cardIn(board: FullBoard, title: string): FullBoard['columns'][number]['cards'][number] {
  const card = board.columns.flatMap(({ cards }) => cards).find((each) => each.title === title);
  if (card === undefined) throw new Error(`the board has no card ${title}`);
  return card;
}

/** The columns and cards of a board as a plan. */
export function planOf({ columns }: FullBoard): Plan {
  return Object.fromEntries(columns.map(({ title, cards }) => [title, cards.map((card) => card.title)]));
}
