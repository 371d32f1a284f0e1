/** Makes the users and the board of the demonstration, through the API as anybody would. */
import { createClient, type Client, type SocketConstructor } from '../client/index.js';
import { COLLEAGUES, COLUMNS, LABELS, TITLE, VISITOR, type PlannedCard } from './plan.js';

export interface Stage {
  readonly boardId: string;
  readonly colleagues: readonly Client[];
}

interface Person {
  readonly username: string;
  readonly firstname: string;
  readonly lastname: string | null;
}

/** `password`: of the colleagues; a secret, so that no visitor can log in as one. */
export async function populate(baseUrl: string, password: string, webSocket?: SocketConstructor): Promise<Stage> {
  const join = async (person: Person, secret: string): Promise<{ readonly id: string; readonly client: Client }> => {
    const client = createClient({ baseUrl, ...(webSocket === undefined ? {} : { webSocket }) });
    const email = `${person.username}@example.org`;
    const { id } = await client.auth.register({ ...person, email, password: secret });
    await client.auth.login({ username: email, password: secret });
    return { id, client };
  };
  const visitor = await join({ ...VISITOR }, VISITOR.password);
  const colleagues = [];
  for (const person of COLLEAGUES) colleagues.push({ ...(await join(person, password)), username: person.username });
  const { client } = visitor;
  const { id: board_id } = await client.board.create({ title: TITLE });
  for (const { id } of colleagues) await client.member.add({ board_id }, { user_id: id });
  const labelIds = new Map<string, string>();
  for (const [name, color] of Object.entries(LABELS)) labelIds.set(name, (await client.label.create({ board_id }, { name, color })).id);
  const userIds = new Map(colleagues.map(({ username, id }) => [username, id]));
  for (const { title, color, isDone = false, cards } of COLUMNS) {
    const column = await client.column.create({ board_id }, { title, color, is_done_column: isDone });
    for (const card of cards) await addCard(client, { board_id, column_id: column.id }, card, labelIds, userIds);
  }
  return { boardId: board_id, colleagues: colleagues.map((each) => each.client) };
}

async function addCard(
  client: Client,
  path: { readonly board_id: string; readonly column_id: string },
  { title, description, labels = [], people = [], items = [], done = 0 }: PlannedCard,
  labelIds: ReadonlyMap<string, string>,
  userIds: ReadonlyMap<string, string>,
): Promise<void> {
  const { id: card_id } = await client.card.create({ ...path }, { title, description: description ?? null });
  for (const name of labels) await client.card.addLabel({ card_id, label_id: labelIds.get(name) ?? '' });
  if (people.length > 0) await client.card.assign({ card_id }, { user_ids: people.map((name) => userIds.get(name) ?? '') });
  if (items.length === 0) return;
  const { id: checklist_id } = await client.checklist.create({ card_id }, { title: 'Steps' });
  for (const [index, content] of items.entries()) {
    const item = await client.item.create({ checklist_id }, { content });
    if (index < done) await client.item.update({ item_id: item.id }, { is_done: true });
  }
}
