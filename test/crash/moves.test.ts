import { randomInt, randomUUID } from 'node:crypto';
import t from 'tap';
import { Api } from '../support/http/api.js';
import type { BoardJson, CardJson, ColumnJson } from '../support/board/boardSnapshot.js';
import { fileForm } from '../support/board/populatedBoard.js';
import { newUser } from '../support/http/users.js';
import { runProgram } from '../support/service/program.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { until } from '../support/until.js';

const ROUNDS = 5;
const CARDS = 4;
const SETTINGS = { SHARDS: '4', SHARD_THREADS: '2' };
/** Several steps of its delivery. */
const FILE_BYTES = 400_000;

interface Place {
  readonly board: string;
  readonly column: string;
}

t.test('MOVE2 cards that go to and fro between boards are whole and on one of them, although the service is killed', async (t) => {
  const settings = { ...SETTINGS, DATA_DIR: await temporaryFolder(t) };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  let api = await Api.connect(service.url);
  const { token } = await newUser(api);
  const make = async <Body>(path: string, json: object): Promise<Body> => (await api.request<Body>('POST', path, { token, json })).body;
  const newPlace = async (): Promise<Place> => {
    const board = (await make<BoardJson>('/boards', { title: 'Board' })).id;
    return { board, column: (await make<ColumnJson>(`/boards/${board}/columns`, { title: 'Column' })).id };
  };
  const places = await Promise.all(Array.from({ length: 3 }, newPlace));
  const content = new Uint8Array(FILE_BYTES).map(() => randomInt(256));
  let moved = 0;
  let isOver = false;
  let restarted = Promise.resolve();

  /** Null if the connection broke, or the service is starting. */
  const move = async (card: string, { board, column }: Place, key: string): Promise<string | null> => {
    try {
      const request = { token, json: { board_id: board, column_id: column }, headers: { 'idempotency-key': key } };
      const { status, body } = await api.request<CardJson>('POST', `/cards/${card}/move`, request);
      if (status !== 200 && status !== 503) throw new Error(`a move answered ${status}: ${JSON.stringify(body)}`);
      return status === 200 ? body.id : null;
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
  const wander = async (title: string): Promise<void> => {
    const [start = { board: '', column: '' }] = places;
    let card = (await make<CardJson>(`/boards/${start.board}/columns/${start.column}/cards`, { title })).id;
    await api.request('POST', `/cards/${card}/attachments`, { token, body: fileForm(content, 'a.bin', 'application/octet-stream') });
    await make(`/cards/${card}/comments`, { body: title });
    for (let n = 1; !isOver; n += 1) {
      const key = randomUUID();
      const place = places[n % places.length] ?? start;
      for (;;) {
        const there = await move(card, place, key);
        if (there !== null) {
          card = there;
          break;
        }
        await restarted;
      }
      moved += 1;
    }
  };
  const titles = Array.from({ length: CARDS }, (_, name) => `Card ${name}`);
  const wandering = Promise.all(titles.map(wander));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const enough = moved + randomInt(2, 12);
    await until(() => moved >= enough);
    restarted = (async () => {
      await service.kill();
      service = await ServiceProcess.start(settings);
      api = await Api.connect(service.url);
    })();
    await restarted;
  }
  isOver = true;
  await wandering;
  t.comment(`${moved} moves`);
  const cards: CardJson[] = [];
  for (const { board } of places) {
    const { body } = await api.request<BoardJson>('GET', `/boards/${board}`, { token });
    cards.push(...body.columns.flatMap((column) => column.cards));
  }
  t.strictSame(cards.map(({ title }) => title).sort(), titles);
  for (const { id, title, attachments, comment_count } of cards) {
    t.strictSame([attachments.length, comment_count], [1, 1], title);
    const { body } = await api.request<Uint8Array>('GET', `/attachments/${attachments[0]?.id ?? ''}`, { token });
    t.ok(Buffer.from(body).equals(content), 'the file is whole');
    t.equal((await api.request('PATCH', `/cards/${id}`, { token, json: { description: 'Free' } })).status, 200, 'it can be changed');
  }
  t.equal(await service.stop(), 0);
  t.match(await runProgram(['check'], settings), { code: 0 });
});
