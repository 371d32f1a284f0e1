/** Data files that become snapshots, and snapshots that become data files. */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { openBesideOwner } from '../../src/store/folder/dataFolder.js';
import { isKnownFile } from '../../src/store/folder/knownFiles.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { fetchedFile, removeUnfinishedSnapshots, supersededFile, takenFile } from '../../src/store/folder/snapshotFiles.js';
import { openShardCopy, type ShardCopy } from '../../src/store/shard/shardCopy.js';
import { beginGeneration, copyDataFile, readFileState } from '../../src/store/snapshot/copyFile.js';
import { adoptFetched, installFetched, type AnnouncedFile } from '../../src/store/snapshot/installFile.js';
import { temporaryFolder } from '../support/store/folder.js';
import { ScriptedLog } from '../support/log/scriptedLog.js';
import { newBoard, NOW } from './temporaryShard.js';

const IDENTITY = { cluster: 'a cluster', created: '2030-01-01T00:00:00Z', generation: 1 };

t.test('SNAPSHOT6 a fetched file is used only if it is sound and what was announced', async (t) => {
  const { file, taken, announced } = await takenShard(t);
  const target = await emptyShard(t);
  const fetch = (): void => copyFileSync(taken, fetchedFile(target.file));
  const wrong: Array<[Partial<AnnouncedFile>, RegExp]> = [
    [{ chain: 'another' }, /its chain is/],
    [{ applied: 99 }, /its applied is/],
    [{ commits: 99 }, /its commits is/],
    [{ identity: { ...IDENTITY, created: '2031-01-01T00:00:00Z' } }, /its created is/],
    [{ place: { shard: 1, shards: 2 } }, /it is shard 0 of 1 instead of 1 of 2/],
  ];
  for (const [change, reason] of wrong) {
    fetch();
    t.throws(() => adoptFetched(target.file, target.folder, { ...announced, ...change }), reason);
  }
  fetch();
  truncateSync(fetchedFile(target.file), statSync(taken).size - 8_192);
  t.throws(() => adoptFetched(target.file, target.folder, announced), /damaged|malformed/);
  t.equal(target.open().position.applied, 0, 'the file in its place is as before');

  fetch();
  adoptFetched(target.file, target.folder, announced);
  installFetched(target.file, null);
  t.notOk(existsSync(`${target.file}-wal`), 'no log of the old file is applied to the new one');
  t.match(target.open().position, { applied: 7, chain: 'of seven' });
  t.strictSame(titlesIn(target.file), titlesIn(file));
});

t.test('SNAPSHOT9 a file is replaced by a newer generation of its log only, and kept aside', async (t) => {
  const { taken } = await takenShard(t);
  const target = await takenShard(t);
  const identity = { cluster: 'a cluster', created: '2031-01-01T00:00:00Z', generation: 2 };
  t.throws(() => target.open({ ...identity, generation: 1 }), /was lost and made anew/);
  t.throws(() => target.open(identity), /follows generation 1 of its log/);
  const epochs = epochsIn(taken);
  const position = { ...LOG_START, applied: 1_000_008, chain: 'of the new log', term: 3 };
  const { commits } = beginGeneration(taken, 'shard', { identity, position });
  t.not(epochsIn(taken)[0], epochs[0], 'numbers may come again, so the boards have a new epoch');
  copyFileSync(taken, fetchedFile(target.file));
  const { applied, chain, term } = position;
  adoptFetched(target.file, target.folder, { kind: 'shard', place: { shard: 0, shards: 1 }, identity, applied, chain, term, commits });
  installFetched(target.file, 1);
  t.match(target.open(identity).position, { applied: 1_000_008 });
  t.match(readFileState(supersededFile(target.file, 1), 'shard'), { followed: { position: { applied: 7 } } });
});

t.test('SNAPSHOT7 files of snapshots are private, known, and removed at the next start unless they are kept', async (t) => {
  const { file, taken, dataDir } = await takenShard(t);
  t.equal(statSync(taken).mode & 0o777, 0o600);
  writeFileSync(fetchedFile(file), 'half');
  writeFileSync(`${fetchedFile(file)}-journal`, 'half');
  writeFileSync(supersededFile(file, 1), 'kept');
  t.strictSame(
    readdirSync(dataDir).filter((name) => !isKnownFile(name)),
    [],
  );
  removeUnfinishedSnapshots(dataDir);
  t.strictSame(
    readdirSync(dataDir).filter((name) => /taken|fetched|generation/.test(name)),
    ['shard-00.sqlite.generation-1'],
  );
  t.equal(readFileSync(file).subarray(0, 6).toString(), 'SQLite', 'the data stays');
});

async function emptyShard(t: Test) {
  const dataDir = await temporaryFolder(t);
  const { id: folder } = await prepareFolder({ dataDir, shards: 1 });
  const open = (identity = IDENTITY): Pick<ShardCopy, 'position'> => {
    const copy = openShardCopy({ dataDir, shard: 0, shards: 1, folder, identity, onError: (error) => t.fail(String(error)) });
    const { position } = copy;
    copy.close();
    return { position };
  };
  return { dataDir, folder, file: join(dataDir, 'shard-00.sqlite'), open };
}

/** A copy with a board at record 7, and a snapshot of it. */
async function takenShard(t: Test) {
  const shard = await emptyShard(t);
  const { dataDir, folder, file } = shard;
  const copy = openShardCopy({ dataDir, shard: 0, shards: 1, folder, identity: IDENTITY, onError: (error) => t.fail(String(error)) });
  copy.follow(new ScriptedLog());
  const { key, create } = newBoard();
  copy.store.begin();
  copy.store.write(key, create, [], 0, NOW);
  await new Promise((resolve) => copy.store.commitTogether(resolve));
  copy.apply([], { ...LOG_START, applied: 7, chain: 'of seven' });
  const taken = takenFile(file);
  const { commits } = copyDataFile(file, 'shard', taken);
  copy.close();
  const place = { shard: 0, shards: 1 };
  const announced: AnnouncedFile = { kind: 'shard', place, identity: IDENTITY, applied: 7, chain: 'of seven', term: 0, commits };
  return { ...shard, taken, announced };
}

function epochsIn(file: string): unknown[] {
  return column(file, 'SELECT epoch FROM board');
}

function titlesIn(file: string): unknown[] {
  return column(file, 'SELECT title FROM board');
}

function column(file: string, sql: string): unknown[] {
  const db = openBesideOwner(file);
  try {
    return db.prepare(sql).pluck().all();
  } finally {
    db.close();
  }
}
