import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { shardsOfCommand, shardsOfNewCluster, shardsOfStart } from '../../src/replication/shardCount.js';
import { loadConfig, type Config } from '../../src/settings/config.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { newRecord, readRecord, RECORD_FILE, writeRecord } from '../../src/store/folder/record/folderRecord.js';
import { Machines } from '../support/cluster/machines.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { temporaryFolder } from '../support/store/folder.js';

const nats = await findClusterNats();

function configOf(dataDir: string, shards = ''): Config {
  const loaded = loadConfig({ DATA_DIR: dataDir, SHARDS: shards });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

t.test('LEASE33 without SHARDS the number of shards is that of the data folder', async (t) => {
  const folder = await temporaryFolder(t);
  t.equal(shardsOfStart(configOf(join(folder, 'none')), null), 16, 'of new data it is the default');
  const has = join(folder, 'has');
  mkdirSync(has);
  writeRecord(has, { ...newRecord(), shards: 7 });
  t.equal(shardsOfStart(configOf(has), null), 7);
  t.equal(shardsOfStart(configOf(has, '3'), null), 3, 'one that is set is compared with the folder later, and refused');
  t.equal(await shardsOfCommand(configOf(folder, '3'), has), 7, 'a command on another folder takes its number');
  t.equal(shardsOfNewCluster(configOf(folder), has), 7, 'a cluster that is made of the folder has as many');
  t.equal(shardsOfNewCluster(configOf(folder), null), 4, 'one without data few: each log is flushed on its own');
  t.equal(shardsOfNewCluster(configOf(has), null), 7, 'unless a start came first, which left a folder');
  t.equal(shardsOfNewCluster(configOf(folder, '9'), null), 9);
  const old = join(folder, 'old');
  await prepareFolder({ dataDir: old, shards: 3 });
  rmSync(join(old, RECORD_FILE));
  t.equal(shardsOfStart(configOf(old), null), 3, 'files without a record know it too');
  cpSync(join(old, 'shard-00.sqlite'), join(folder, 'a file'));
  t.equal(shardsOfStart(configOf(join(folder, 'a file')), null), 16, 'a file in the place of the folder is refused later, with what to do');
});

t.test('LEASE33 an instance takes the number of shards from its cluster, and refuses another', { skip: skipWithout(nats) }, async (t) => {
  const machines = await Machines.prepare(t, pathOf(nats), { SHARDS: '' }, 1);
  const { dataDir } = machines.machine(0);
  await t.rejects(machines.startInstance(0, { SHARDS: '5' }), /SHARDS is 5, and the cluster was made with 4/);
  await t.rejects(machines.startInstance(0, { SHARDS: '2' }), /SHARDS is 2, and the cluster was made with 4/);
  await t.rejects(machines.startInstance(0, { NATS_PREFIX: 'other' }), /NATS has no log of the directory\. For a new cluster run/);
  t.equal(readRecord(dataDir), null, 'a refused start leaves no folder with another number');
  const { api } = await machines.startInstance(0);
  await machines.settled();
  t.equal(readRecord(dataDir)?.shards, 4);
  const { token } = await newUser(api);
  t.equal((await api.request('POST', '/boards', { token, json: { title: 'Plan' } })).status, 201);
  t.match(await machines.command(0, 'cluster', 'snapshot', 'shard-3'), /shard 3: a snapshot has everything/);
  const doctor = await machines.command(0, 'cluster', 'doctor').catch(({ stdout }: { stdout: string }) => stdout);
  t.match(doctor, /^ok +cluster: /m);
  t.notMatch(doctor, /4-15/, 'and no other log is missed');
  const other = await temporaryFolder(t);
  await prepareFolder({ dataDir: other, shards: 16 });
  await t.rejects(machines.startInstance(0, { DATA_DIR: other }), /has 16 shards, and the cluster was made with 4\. Start with an empty data folder/);
});
