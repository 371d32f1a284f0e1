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
const SETTINGS = { SHARDS: '2', SHARD_THREADS: '1' };

t.test('IDEM31 a request that is repeated until it is answered is carried out once, although the service is killed', async (t) => {
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
  /** Null if the connection broke. */
  const send = async (key: string, title: string): Promise<number | null> => {
    const headers = { 'idempotency-key': key };
    const path = `/boards/${board}/columns/${column}/cards`;
    try {
      const answer = await api.request('POST', path, { token, json: { title }, headers });
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
      const [key, title] = [randomUUID(), `${name} ${n}`];
      while ((await send(key, title)) !== 201) await restarted;
      titles.push(title);
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
});
