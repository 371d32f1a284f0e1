import t from 'tap';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { ScenarioBoard } from '../../support/board/boardScenario.js';
import type { CardJson, ColumnJson } from '../../support/board/boardSnapshot.js';
import { startWorld } from '../../support/board/boardWorld.js';
import { WITH_THREADS } from '../../support/service/app.js';

const CARDS = 5_000;
/** Requests that are under way at the same time; they share commits. */
const AT_ONCE = 50;

t.test('QUOTA10 a board of 5,000 cards can be created, read, changed, and read again after a restart', async (t) => {
  const world = await startWorld(t, { ...WITH_THREADS, DURABILITY: 'normal' });
  const { member } = world;
  const board = await ScenarioBoard.create(world);
  const columns: ColumnJson[] = [];
  for (const title of ['A', 'B']) {
    columns.push(await board.do<ColumnJson>(member, `POST /boards/${board.id}/columns`, { title }));
  }
  let next = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const createCards = async (): Promise<void> => {
    for (let number = next++; number < CARDS; number = next++) {
      const url = `${world.app.url}/boards/${board.id}/columns/${columns[number % 2]?.id}/cards`;
      const status = await post(agent, url, member.token, { title: `Card ${number}`, description: 'x'.repeat(100) });
      if (status !== 201) throw new Error(`card ${number} was answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createCards));
  agent.destroy();

  const { board: full, seq } = await board.look();
  const cards = full.columns.flatMap((column) => column.cards);
  t.equal(cards.length, CARDS);
  t.equal(new Set(cards.map(({ title }) => title)).size, CARDS, 'every card once');
  t.equal(seq, 2 + 2 + CARDS, 'one event for each of two invitations, two columns and all cards');
  for (const column of full.columns) {
    const ranks = column.cards.map(({ rank }) => rank);
    t.ok(
      ranks.every((rank, index) => index === 0 || rank > (ranks[index - 1] ?? 0)),
      'ranks rise',
    );
  }

  const [last, target] = [full.columns[0]?.cards.at(-1), full.columns[1]];
  const json = { column_id: target?.id, position: 1_000 };
  const moved = await board.do<CardJson>(member, `POST /cards/${last?.id}/move`, json);
  const after = await board.look();
  t.strictSame(after.board.columns[1]?.cards[1_000], moved);
  t.equal(after.seq, seq + 1, 'a move between two neighbours is one event');
  const etag = { 'if-none-match': `"${after.seq}"` };
  const path = `/boards/${board.id}`;
  t.equal((await world.api.request('GET', path, { token: member.token, headers: etag })).status, 304);

  await world.app.close();
  const again = await startWorld(t, { DATA_DIR: world.config.dataDir });
  const read = await again.api.request('GET', path, { token: member.token });
  t.strictSame(read.body, after.board, 'it is on disk as it was in memory');
});

/** Without the checks of the other tests' client, which take longer than the service for thousands of requests. */
async function post(agent: Agent, url: string, token: string, json: object): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sending = request(url, { method: 'POST', agent, headers });
  sending.end(JSON.stringify(json));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}
