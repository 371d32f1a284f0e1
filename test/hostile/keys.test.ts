import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { MAX_KEPT } from '../../src/domain/idempotency.js';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import type { TestUser } from '../support/http/users.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query } from '../support/store/sqlFile.js';

const REQUESTS = IS_LONG_FORM ? 20_000 : 1_200;
const LARGE_BODIES = IS_LONG_FORM ? 200 : 40;
const AT_ONCE = 20;
const MIB = 1024 * 1024;

/** Sends requests with a new key each, some at once; the statuses that came. */
async function flood(count: number, send: (n: number) => Promise<Response>): Promise<string[]> {
  const statuses = new Set<string>();
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const response = await send(n);
      await response.arrayBuffer();
      statuses.add(String(response.status));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return [...statuses];
}

function withKey({ url }: AttackedService, key: string, request: string, { token }: TestUser, body: string): Promise<Response> {
  const [method = '', path = ''] = request.split(' ');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key };
  return fetch(url + path, { method, headers, body });
}

t.test(
  'HOSTILE40 thousands of keys of full length, with answers of the largest kept size, leave a bounded trace',
  { skip: WITHOUT_PEAK },
  async (t) => {
    const dataDir = await temporaryFolder(t);
    const attacked = await AttackedService.start(t, { DATA_DIR: dataDir, SHARDS: '1' });
    const { id: board } = await attacked.do('POST', '/boards', { title: 'Mine', description: 'x'.repeat(10_000) });
    const { id: column } = await attacked.do('POST', `/boards/${board}/columns`, { title: 'To do' });
    const { id: card } = await attacked.do('POST', `/boards/${board}/columns/${column}/cards`, { title: 'Work' });
    const { id: checklist } = await attacked.do('POST', `/cards/${card}/checklists`, { title: 'Steps' });
    for (let n = 0; n < 6; n += 1) await attacked.do('POST', `/checklists/${checklist}/items`, { content: 'x'.repeat(10_000) });
    const { attacker, bystander } = attacked;
    const [key, theirs] = [randomUUID(), JSON.stringify({ title: 'Theirs' })];
    const first = await withKey(attacked, key, 'POST /boards', bystander, theirs);
    const damage = await attacked.suffer(t, async () => {
      const rename = (n: number): Promise<Response> =>
        withKey(attacked, String(n).padEnd(255, '#'), `PATCH /cards/${card}`, attacker, JSON.stringify({ title: `Renamed ${n}` }));
      t.strictSame(await flood(REQUESTS, rename), ['200']);
    });
    await expectUnharmed(t, attacked, damage);
    const kept = query<{ answers: number; bytes: number }>(
      join(dataDir, 'shard-00.sqlite'),
      `SELECT count(*) AS answers, sum(bytes) AS bytes FROM answer WHERE scope = '${attacker.id}'`,
    )[0];
    t.ok(kept !== undefined && kept.answers <= MAX_KEPT.answers && kept.bytes <= MAX_KEPT.bytes + 100_000, JSON.stringify(kept));
    const size = readdirSync(dataDir).reduce((sum, file) => sum + statSync(join(dataDir, file)).size, 0);
    t.comment(`the folder has ${Math.round(size / MIB)} MiB`);
    const again = await withKey(attacked, key, 'POST /boards', bystander, theirs);
    t.strictSame([first.status, again.status, again.headers.get('idempotency-replayed')], [201, 201, 'true'], 'others keep theirs');
  },
);

t.test('HOSTILE1 bodies of a megabyte with keys do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { id: board } = await attacked.do('POST', '/boards', { title: 'Mine' });
  const body = JSON.stringify({ title: 'New', ignored: 'x'.repeat(MIB - 100) });
  const damage = await attacked.suffer(t, async () => {
    const rename = (): Promise<Response> => withKey(attacked, randomUUID(), `PATCH /boards/${board}`, attacked.attacker, body);
    t.strictSame(await flood(LARGE_BODIES, rename), ['200']);
  });
  await expectUnharmed(t, attacked, damage);
});
