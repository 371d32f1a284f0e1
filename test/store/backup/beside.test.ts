import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import { SQLITE_PACKAGE } from '../../../src/store/sqlite/sqlite.js';
import { startTestApp } from '../../support/service/app.js';
import { newUser } from '../../support/http/users.js';
import { until } from '../../support/until.js';

/** Stands for a replication tool: each line on its standard input is SQL, and its rows are answered as a line. */
const GUEST = `
  const Database = require(process.argv[1]);
  const db = new Database(process.argv[2], { timeout: Number(process.argv[3]) });
  require('node:readline').createInterface({ input: process.stdin }).on('line', (sql) => {
    const statement = db.prepare(sql);
    console.log(JSON.stringify(statement.reader ? statement.raw().all() : (statement.run(), [])));
  });
`;

t.test('BACKUP11 another program can read a data file, and lock it briefly, beside the service', async (t) => {
  const { api, config } = await startTestApp(t, { SHARDS: '1' });
  const { token } = await newUser(api);
  const create = async (title: string): Promise<number> => (await api.request('POST', '/boards', { token, json: { title } })).status;
  await create('Before');

  const ask = startGuest(t, join(config.dataDir, 'shard-00.sqlite'), 5_000);

  /** The file follows the log a moment later. */
  const untilBoards = async (count: number): Promise<void> => {
    await until(async () => JSON.stringify(await ask('SELECT count(*) FROM board')) === `[[${count}]]`);
  };
  await untilBoards(1);

  await ask('BEGIN');
  t.strictSame(await ask('SELECT title FROM board'), [['Before']]);
  t.equal(await create('During'), 201, 'a reader holds up no write');
  t.strictSame(await ask('SELECT title FROM board'), [['Before']], 'and sees the state of one commit');
  await ask('COMMIT');
  await untilBoards(2);

  await ask('BEGIN IMMEDIATE');
  const waiting = create('After');
  await ask('COMMIT');
  t.equal(await waiting, 201, 'a write waits for a guest that writes, and succeeds');
  await untilBoards(3);
});

t.test('BACKUP11 another program that waits a second for a busy data file can write to it', async (t) => {
  const { api, config } = await startTestApp(t, { SHARDS: '2', SHARD_THREADS: '1' });
  const { token } = await newUser(api);
  const statuses = new Set<number>();
  let isDone = false;
  const writing = Array.from({ length: 8 }, async () => {
    while (!isDone) statuses.add((await api.request('POST', '/boards', { token, json: { title: 'Busy' } })).status);
  });
  const ask = startGuest(t, join(config.dataDir, 'shard-00.sqlite'), 1_000);
  for (let count = 0; count < 10; count += 1) {
    await ask('BEGIN IMMEDIATE');
    await ask('COMMIT');
  }
  isDone = true;
  await Promise.all(writing);
  t.strictSame(
    [...statuses].filter((status) => status !== 201 && status !== 409),
    [],
    'and delays no write for long',
  );
});

/** The function executes SQL on the file in another process. `timeoutMs`: how long it waits for a lock. */
function startGuest(t: Test, file: string, timeoutMs: number): (sql: string) => Promise<unknown> {
  const modules = packagePath('node_modules', SQLITE_PACKAGE);
  const guest = spawn(process.execPath, ['-e', GUEST, modules, file, String(timeoutMs)]);
  t.teardown(() => guest.kill());
  guest.stderr.pipe(process.stderr);
  const answers = createInterface({ input: guest.stdout });
  return async (sql) => {
    const answered = once(answers, 'line') as Promise<[string]>;
    guest.stdin.write(`${sql}\n`);
    return JSON.parse((await answered)[0]);
  };
}
