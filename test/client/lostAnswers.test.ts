import t from 'tap';
import { createClient } from '../../src/client/index.js';
import { newRegistration } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';

const app = await startTestApp(t);

t.test('CLIENT32 calls whose first answer is lost happen once', async (t) => {
  const sent: string[] = [];
  let isLost = false;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET') return response;
    isLost = !isLost;
    if (!isLost) return response;
    sent.push(`${init?.method} ${new URL(String(input)).pathname.replace(/[0-9a-f-]{36}/g, '…')}`);
    throw new TypeError('The answer was lost');
  };
  const client = createClient({ baseUrl: app.url, fetch: losing, random: () => 0 });
  const registration = newRegistration();
  const { id } = await client.auth.register(registration);
  await client.auth.login({ username: registration.email, password: registration.password });
  t.equal((await client.auth.me()).id, id);

  const { id: board_id } = await client.board.create({ title: 'Once' });
  t.strictSame(
    (await client.board.list()).map((board) => board.id),
    [board_id],
  );
  const { id: column_id } = await client.column.create({ board_id }, { title: 'To do' });
  const { id: card_id } = await client.card.create({ board_id, column_id }, { title: 'Card' });
  await client.attachment.create({ card_id }, { name: 'file', content: new Blob(['content']) });
  await client.card.update({ card_id }, { title: 'Renamed' });
  await client.card.move({ card_id }, { position: 0 });
  const { columns } = await client.board.get({ board_id });
  t.match(columns, [{ id: column_id, cards: [{ id: card_id, title: 'Renamed', attachments: [{ name: 'file' }] }] }]);
  t.strictSame([columns.length, columns[0]?.cards.length, columns[0]?.cards[0]?.attachments.length], [1, 1, 1]);
  const { events } = await client.board.events({ board_id });
  const types = ['column.created', 'card.created', 'attachment.created', 'card.updated', 'card.moved'];
  t.strictSame(
    events.map(({ type }) => type),
    types,
  );

  await client.card.delete({ card_id });
  await client.board.delete({ board_id });
  t.strictSame(await client.board.list(), [], 'a repeated deletion is no refusal');
  t.equal(sent.length, 10, sent.join(', '));
});
