import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import type { Uuid } from '../../src/domain/ids.js';
import type { Api } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { smallDisk } from '../support/store/smallDisk.js';
import { newUser } from '../support/http/users.js';

const DISK_BYTES = 6 * 1024 * 1024;
/** Freed later. Enough for the service to have room again. */
const BALLAST_BYTES = 3 * 1024 * 1024;
const DESCRIPTION = 'x'.repeat(9_000);

t.test('COMMIT6 on a full disk changes get 503, reads go on, and once there is room changes succeed', async (t) => {
  const disk = await smallDisk(t, DISK_BYTES);
  if ('missing' in disk) {
    t.pass('a full disk', { skip: disk.missing });
    return;
  }
  const ballast = join(disk.folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(BALLAST_BYTES));
  const log: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void log.push(line) });
  const app = await startTestApp(t, { DATA_DIR: join(disk.folder, 'data'), SHARDS: '1' }, logger);
  const { token } = await newUser(app.api);
  const board = (await app.api.request<{ id: Uuid }>('POST', '/boards', { token, json: { title: 'Plans' } })).body.id;
  const columns = `/boards/${board}/columns`;
  const column = (await app.api.request<{ id: Uuid }>('POST', columns, { token, json: { title: 'To do' } })).body.id;
  const addCards = (count: number) => {
    const json = { title: 'A card', description: DESCRIPTION };
    const requests = Array.from({ length: count }, () =>
      app.api.request<{ id: Uuid; detail?: string }>('POST', `${columns}/${column}/cards`, { token, json }),
    );
    return Promise.all(requests);
  };
  const cardsOnBoard = async (api: Api): Promise<{ seq: string | null; ids: Uuid[] }> => {
    const path = `/boards/${board}`;
    const { headers, body } = await api.request<{ columns: [{ cards: { id: Uuid }[] }] }>('GET', path, { token });
    return { seq: headers.get('etag'), ids: body.columns[0].cards.map(({ id }) => id) };
  };

  const stored: Uuid[] = [];
  const addUntilRefused = async (together: number) => {
    let refused = 0;
    while (refused === 0) {
      for (const { status, body, headers } of await addCards(together)) {
        if (status === 201) {
          stored.push(body.id);
          continue;
        }
        refused += 1;
        t.equal(status, 503);
        t.match(headers.get('retry-after'), /^[1-9]\d*$/);
        t.match(body.detail, /could not be stored/);
      }
    }
  };
  await addUntilRefused(20);
  t.ok(stored.length > 0, 'before that, some were stored');
  t.match(log.join(), /database or disk is full/, 'the operator can read why');

  const full = await cardsOnBoard(app.api);
  t.strictSame(new Set(full.ids), new Set(stored), 'exactly the acknowledged ones are there');
  t.equal(full.seq, `"${1 + stored.length}"`, 'and only they were counted');
  // What was too much for twenty cards in one commit may be enough for one more.
  await addUntilRefused(1);

  await rm(ballast);
  const [healed] = await addCards(1);
  t.equal(healed?.status, 201, 'no restart was needed');
  await app.close();

  const again = await startTestApp(t, { DATA_DIR: join(disk.folder, 'data'), SHARDS: '1' }, logger);
  const { ids } = await cardsOnBoard(again.api);
  t.strictSame(new Set(ids), new Set([...stored, healed?.body.id]), 'a restart finds the same');
});
