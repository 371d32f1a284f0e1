import t from 'tap';
import type { createClient as CreateClient } from '../../src/client/index.js';
import { newRegistration } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { openPage, WITH_BROWSER } from '../support/service/browser.js';
import { startClientPage } from './clientPage.js';

t.test('CLIENT7 a page of another origin uses the client', WITH_BROWSER, async (t) => {
  const { url } = await startTestApp(t);
  const { page, complaints } = await openPage(t, await startClientPage(t));
  const seen = await page.evaluate(useClient, { url, ...newRegistration() });
  t.strictSame(seen, { shown: ['New'], pending: 1, after: ['New'], pendingAfter: 0, isEqual: true, state: 'live' });
  t.strictSame(complaints, []);
});

/** Runs in the page. */
async function useClient({ url, ...registration }: { url: string } & ReturnType<typeof newRegistration>): Promise<object> {
  const address: string = '/index.js';
  const { createClient } = (await import(address)) as { createClient: typeof CreateClient };
  const client = createClient({
    baseUrl: url,
    getToken: async () => {
      const { email: username, password } = registration;
      return (await client.auth.login({ username, password })).access_token;
    },
  });
  await client.auth.register(registration);
  const { id: board_id } = await client.board.create({ title: 'Plans' });
  const { id: column_id } = await client.column.create({ board_id }, { title: 'To do' });
  const connection = client.connect(board_id);
  await connection.ready;
  const titles = (): string[] => connection.board?.columns[0]?.cards.map(({ title }) => title) ?? [];
  const change = connection.change('card.create', { board_id, column_id }, { title: 'New' });
  const [shown, pending] = [titles(), connection.pending];
  const { id: card_id } = await change;
  await client.attachment.create({ card_id }, new File(['content'], 'file.txt', { type: 'text/plain' }));
  const { seq } = await client.board.events({ board_id });
  if (connection.seq < seq) {
    await new Promise<void>((resolve) => {
      connection.on('change', () => {
        if (connection.seq >= seq) resolve();
      });
    });
  }
  const isEqual = JSON.stringify(connection.board) === JSON.stringify(await client.board.get({ board_id }));
  const state = connection.state.kind;
  connection.close();
  return { shown, pending, after: titles(), pendingAfter: connection.pending, isEqual, state };
}
