import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { packagePath } from '../../../src/paths.js';
import { startTestApp } from '../../support/service/app.js';
import { newUser } from '../../support/http/users.js';

/** Stands for a replication tool: each line on its standard input is SQL, and its rows are answered as a line. */
const GUEST = `
  const Database = require(process.argv[1]);
  const db = new Database(process.argv[2], { timeout: 5000 });
  require('node:readline').createInterface({ input: process.stdin }).on('line', (sql) => {
    const statement = db.prepare(sql);
    console.log(JSON.stringify(statement.reader ? statement.raw().all() : (statement.run(), [])));
  });
`;

t.test('BACKUP11 another program can read a data file, and lock it briefly, beside the service', async (t) => {
  const { api, config } = await startTestApp(t, { SHARDS: '1' });
  const { token } = await newUser(api);
  const create = async (title: string): Promise<number> =>
    (await api.request('POST', '/boards', { token, json: { title } })).status;
  await create('Before');

  const modules = packagePath('node_modules', 'better-sqlite3');
  const guest = spawn(process.execPath, ['-e', GUEST, modules, join(config.dataDir, 'shard-00.sqlite')]);
  t.teardown(() => guest.kill());
  guest.stderr.pipe(process.stderr);
  const answers = createInterface({ input: guest.stdout });
  const ask = async (sql: string): Promise<unknown> => {
    const answered = once(answers, 'line') as Promise<[string]>;
    guest.stdin.write(`${sql}\n`);
    return JSON.parse((await answered)[0]);
  };

  /** The file follows the log a moment later. */
  const untilBoards = async (count: number): Promise<void> => {
    while (JSON.stringify(await ask('SELECT count(*) FROM board')) !== `[[${count}]]`) await pause(10);
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
