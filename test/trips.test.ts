import t from 'tap';
import { Api } from './support/http/api.js';
import { newUser } from './support/http/users.js';
import { MODULES, ServiceProcess } from './support/service/serviceProcess.js';
import { INSPECTED, REPETITIONS, Trips } from './support/service/trips.js';
import { temporaryFolder } from './support/store/folder.js';

/** The most modules that a request may pass through: to follow it, all of them must be read. */
const MOST = { 'move a card': 90, 'read a board from the cache': 24, 'log in': 77, 'invite a member': 125 };

/** A warm one, and as many as are counted. */
const REQUESTS = 1 + REPETITIONS;

t.test('a request passes through few modules', async (t) => {
  const service = await ServiceProcess.start({ DATA_DIR: await temporaryFolder(t), SHARDS: '1', SHARD_THREADS: '1', ...INSPECTED }, MODULES);
  t.teardown(() => service.kill());
  const trips = await Trips.attach(service);
  t.teardown(() => trips.close());
  const api = await Api.connect(service.url);
  const { token, email, password } = await newUser(api);
  const create = async (path: string): Promise<string> => {
    const { status, body } = await api.request<{ id: string }>('POST', path, { token, json: { title: 'A' } });
    t.equal(status, 201);
    return body.id;
  };
  const board = await create('/boards');
  const column = await create(`/boards/${board}/columns`);
  const card = await create(`/boards/${board}/columns/${column}/cards`);
  await create(`/boards/${board}/columns/${column}/cards`);
  let place = 0;
  const requests: Record<keyof typeof MOST, () => Promise<{ status: number }>> = {
    'move a card': () => api.request('POST', `/cards/${card}/move`, { token, json: { column_id: column, position: (place += 1) % 2 } }),
    'read a board from the cache': () => api.request('GET', `/boards/${board}`, { token }),
    'log in': () => api.request('POST', '/auth/login', { form: { username: email, password } }),
    'invite a member': () => api.request('POST', `/boards/${board}/invite`, { token, json: { user_id: others.pop()?.id } }),
  };
  const others = await Promise.all(Array.from({ length: REQUESTS }, () => newUser(api)));
  await trips.idle();
  for (const [name, most] of Object.entries(MOST)) {
    const request = requests[name as keyof typeof MOST];
    const ask = async (): Promise<void> => {
      const { status } = await request();
      if (status >= 300) throw new Error(`${name}: ${status}`);
    };
    await ask();
    const modules = await trips.modulesOf(ask);
    t.comment(`${name}: ${modules.length}\n${modules.join('\n')}`);
    t.ok(modules.length > 5, `${name}: the modules were counted`);
    t.ok(modules.length <= most, `${name}: ${modules.length} modules, at most ${most}`);
  }
});
