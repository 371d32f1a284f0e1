import { randomInt, randomUUID } from 'node:crypto';
import t from 'tap';
import { Api } from '../support/http/api.js';
import type { BoardJson, ColumnJson } from '../support/board/boardSnapshot.js';
import { newUser } from '../support/http/users.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { until } from '../support/until.js';

const ROUNDS = 4;
const WRITERS = 6;
/** Cards of a batch; every second writer sends batches. */
const IN_BATCH = 3;
const SETTINGS = { SHARDS: '2', SHARD_THREADS: '1' };

interface Request {
  readonly path: string;
  readonly json: object;
  readonly expected: number;
}

/** Cards with a checklist each, which names its card by the answer before it. */
function batchOf(board: string, cards: string, titles: readonly string[]): Request {
  const operations = titles.flatMap((title, n) => [
    { method: 'POST', path: cards, body: { title } },
    { method: 'POST', path: `/cards/$${2 * n}.id/checklists`, body: { title } },
  ]);
  return { path: `/boards/${board}/batch`, json: { operations }, expected: 200 };
}

t.test('IDEM1 a request that is repeated until it is answered is carried out once, although the service is killed', async (t) => {
  const settings = { ...SETTINGS, DATA_DIR: await temporaryFolder(t) };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  let api = await Api.connect(service.url);
  const { token } = await newUser(api);
  const board = (await api.request<BoardJson>('POST', '/boards', { token, json: { title: 'Plans' } })).body.id;
  const column = (await api.request<ColumnJson>('POST', `/boards/${board}/columns`, { token, json: { title: 'To do' } })).body.id;
  const titles: string[] = [];
  let isOver = false;
  let repeated = 0;
  const cards = `/boards/${board}/columns/${column}/cards`;
  /** Null if the connection broke. */
  const send = async (key: string, request: Request): Promise<number | null> => {
    const headers = { 'idempotency-key': key };
    try {
      const answer = await api.request('POST', request.path, { token, json: request.json, headers });
      if (answer.headers.get('idempotency-replayed') === 'true') repeated += 1;
      return answer.status;
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
  let restarted = Promise.resolve();
  const write = async (name: number): Promise<void> => {
    for (let n = 0; !isOver; n += 1) {
      const key = randomUUID();
      const made = name % 2 === 0 ? [`${name} ${n}`] : Array.from({ length: IN_BATCH }, (_, part) => `${name} ${n} ${part}`);
      const request = name % 2 === 0 ? { path: cards, json: { title: made[0] }, expected: 201 } : batchOf(board, cards, made);
      while ((await send(key, request)) !== request.expected) await restarted;
      titles.push(...made);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, name) => write(name));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const enough = titles.length + randomInt(40, 240);
    await until(() => titles.length >= enough);
    restarted = (async () => {
      await service.kill();
      service = await ServiceProcess.start(settings);
      api = await Api.connect(service.url);
    })();
    await restarted;
  }
  isOver = true;
  await Promise.all(writers);
  t.comment(`${titles.length} cards, ${repeated} answers came with a repetition`);
  const { body } = await api.request<BoardJson>('GET', `/boards/${board}`, { token });
  t.strictSame(body.columns[0]?.cards.map(({ title }) => title).sort(), [...titles].sort());
  const inBatches = body.columns[0]?.cards.filter(({ title }) => title.split(' ').length === 3) ?? [];
  t.ok(inBatches.length > 0 && inBatches.every(({ checklists }) => checklists.length === 1), 'batches are whole');
});
