/** Data folders of machines in a cluster, without a service. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { backUp } from '../../src/store/backup/backup.js';
import { closeAll, takeCut } from '../../src/store/backup/consistentCut.js';
import { checkFolder } from '../../src/store/check/checkFolder.js';
import { listDataFiles } from '../../src/store/folder/dataFolder.js';
import { followedFiles } from '../../src/store/folder/followedFiles.js';
import { readRecord } from '../../src/store/folder/record/folderRecord.js';
import { openShardCopy } from '../../src/store/shard/shardCopy.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query, sql } from '../support/store/sqlFile.js';
import { currentFixture } from '../support/store/upgradeFixture.js';

const FILES = ['directory.sqlite', 'shard-00.sqlite'];
const POSITION = `INSERT INTO log_position (id, cluster, created, generation, applied, chain, term) VALUES (1, 'ours', 'then', 1, 7, 'c', 2)`;

async function dataFolder(t: Test): Promise<string> {
  const dataDir = await temporaryFolder(t);
  for (const name of [...FILES, 'folder.json']) await cp(join(currentFixture(), name), join(dataDir, name));
  return dataDir;
}

async function replicaFolder(t: Test): Promise<string> {
  const dataDir = await dataFolder(t);
  for (const name of FILES) sql(join(dataDir, name), POSITION);
  return dataDir;
}

t.test('OPERATE9 the files of a copy are not compared with each other, and those of its backup are', async (t) => {
  const dataDir = await replicaFolder(t);
  sql(join(dataDir, 'directory.sqlite'), 'UPDATE membership SET version = version + 1000');
  const { problems, notes } = await checkFolder(dataDir);
  t.strictSame(problems, [], 'the directory may be ahead');
  t.match(notes, [/each follows its own log/]);
  const target = join(await temporaryFolder(t), 'backup');
  await backUp({ dataDir, target, program: 'test' });
  t.match(await checkFolder(target), { problems: [], notes: [] });
  for (const name of FILES) t.strictSame(query(join(target, name), 'SELECT * FROM log_position'), []);
  t.equal(query(join(dataDir, 'directory.sqlite'), 'SELECT * FROM log_position').length, 1, 'the copy itself is unchanged');
});

t.test('OPERATE9 a backup waits until the directory has every member of the boards', async (t) => {
  const dataDir = await replicaFolder(t);
  const [member] = query<{ id: string }>(join(dataDir, 'shard-00.sqlite'), 'SELECT id FROM member LIMIT 1');
  const files = await listDataFiles(dataDir);
  const directory = join(dataDir, 'directory.sqlite');
  sql(directory, 'PRAGMA foreign_keys = OFF', `UPDATE user SET id = 'another ' || id WHERE id = '${member?.id}'`);
  await t.rejects(takeCut(dataDir, files, [], 0), /directory.sqlite is behind the boards/);
  let isThere = false;
  const cut = takeCut(dataDir, files, []).finally(() => t.ok(isThere, 'not before'));
  await setImmediate();
  isThere = true;
  sql(directory, 'PRAGMA foreign_keys = OFF', `UPDATE user SET id = '${member?.id}' WHERE id = 'another ${member?.id}'`);
  closeAll(await cut);
});

t.test('OPERATE11 data from before commits had numbers is data too', async (t) => {
  const dataDir = await dataFolder(t);
  sql(join(dataDir, 'shard-00.sqlite'), 'UPDATE place SET commits = 0');
  const options = { dataDir, shard: 0, shards: 1, folder: readRecord(dataDir)?.id ?? '', onError: () => undefined };
  t.throws(() => openShardCopy({ ...options, identity: { cluster: 'ours', created: 'then', generation: 1 } }), {
    code: 'conflict',
    message: /has data that the cluster does not know/,
  });
  t.strictSame(await followedFiles(dataDir), [
    { name: 'shard-00.sqlite', cluster: null, created: null, applied: 0 },
    { name: 'directory.sqlite', cluster: null, created: null, applied: 0 },
  ]);
  t.match(await followedFiles(await replicaFolder(t)), [{ cluster: 'ours', created: 'then' }, { cluster: 'ours' }]);
});
