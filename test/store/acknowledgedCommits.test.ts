import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { IdSource } from '../../src/domain/ids.js';
import { checkFolder } from '../../src/store/check/checkFolder.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { ACKNOWLEDGED_FILE } from '../../src/store/folder/record/acknowledgedCommits.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { openThreadLog } from '../../src/store/log/threadLog.js';
import { openShard } from '../../src/store/shard/openShard.js';
import type { Durability } from '../../src/store/sqlite/database.js';
import { temporaryFolder } from '../support/store/folder.js';

const NOW = '2030-01-01T00:00:00.000Z';
const DIRECTORY_WAL = 'directory.sqlite-wal';
const SHARD_WAL = 'shard-00.sqlite-wal';
/** Of the write-ahead log: https://sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const COMMITS = 6;
const ids = new IdSource();

/** The folder as a kill would leave it. Copied by another process, because closing a file ends the locks of this one. */
async function imageOf(t: Test, dataDir: string): Promise<string> {
  const image = await temporaryFolder(t);
  const copy = 'const [from, to] = process.argv.slice(1); require("node:fs").cpSync(from, to, { recursive: true })';
  execFileSync(process.execPath, ['-e', copy, dataDir, image]);
  return image;
}

/** A directory of which each registration is a commit, and none is in the main file. */
async function killedDirectory(t: Test, durability: Durability = 'full'): Promise<{ dataDir: string; folder: string }> {
  const dataDir = await temporaryFolder(t);
  const { id: folder } = await prepareFolder({ dataDir, shards: 1 });
  const directory = new RunningDirectory({ dataDir, durability, folder, onError: fail });
  t.teardown(() => directory.close());
  for (let n = 0; n < COMMITS; n += 1) directory.runNow([registration(n)]);
  t.equal(directory.number, COMMITS);
  return { dataDir: await imageOf(t, dataDir), folder };
}

function registration(n: number): Parameters<RunningDirectory['runNow']>[0][number] {
  const name = `user${n}`;
  const profile = { email: `${name}@example.org`, username: name, firstname: null, lastname: null, is_superuser: false };
  return { op: 'user.create', input: { id: ids.fresh(), hashed_password: 'x'.repeat(5_000), ...profile, now: NOW } };
}

function fail(error: unknown): never {
  throw error;
}

interface Frame {
  readonly at: number;
  readonly bytes: number;
  /** The number of its commit. */
  readonly commit: number;
}

function framesOf(wal: Buffer): Frame[] {
  const bytes = FRAME_HEADER_BYTES + wal.readUInt32BE(8);
  const frames: Frame[] = [];
  for (let at = HEADER_BYTES, commit = 1; at < wal.length; at += bytes) {
    frames.push({ at, bytes, commit });
    if (wal.readUInt32BE(at + 4) !== 0) commit += 1;
  }
  return frames;
}

function flip(file: string, at: number, bit = 3): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(file, bytes);
}

function lossAfter(commit: number): string {
  const lost = COMMITS - commit;
  return (
    `directory.sqlite ends with commit ${commit}, and commit ${COMMITS} was acknowledged: ` +
    `${lost === 1 ? 'a commit is' : `${lost} commits are`} lost, because a file was damaged, removed or replaced by an older one`
  );
}

/** What `check` finds in a damaged copy of the folder. */
async function findLoss(t: Test, image: string, damage: (folder: string) => void): Promise<readonly string[]> {
  const dataDir = await temporaryFolder(t);
  cpSync(image, dataDir, { recursive: true });
  damage(dataDir);
  return (await checkFolder(dataDir)).problems;
}

t.test('CRASH10 a check finds every acknowledged commit of the directory that a damaged write-ahead log has lost', async (t) => {
  const { dataDir: image } = await killedDirectory(t);
  const frames = framesOf(readFileSync(join(image, DIRECTORY_WAL)));
  t.equal(frames.at(-1)?.commit, COMMITS);
  t.ok(frames.length > 2 * COMMITS, 'commits of several frames');
  const wal = (folder: string): string => join(folder, DIRECTORY_WAL);

  t.strictSame(await findLoss(t, image, () => undefined), [], 'undamaged');
  t.strictSame(await findLoss(t, image, (folder) => writeFileSync(wal(folder), 'torn', { flag: 'a' })), [], 'a torn write of a further commit');
  for (const at of [17]) {
    t.strictSame(await findLoss(t, image, (folder) => flip(wal(folder), at)), [lossAfter(0)], `byte ${at} of the header`);
  }
  const middle = frames.find(({ commit }) => commit === 3);
  for (const { at, bytes, commit } of [frames[0], middle, frames.at(-1)].flatMap((frame) => frame ?? [])) {
    // The page number, a salt, the page.
    for (const within of [1, 9, bytes >> 1]) {
      const problems = await findLoss(t, image, (folder) => flip(wal(folder), at + within));
      t.strictSame(problems, [lossAfter(commit - 1)], `byte ${within} of a frame of commit ${commit}`);
    }
    const cut = await findLoss(t, image, (folder) => truncateSync(wal(folder), at + bytes - 1));
    t.strictSame(cut, [lossAfter(commit - 1)], `cut off in a frame of commit ${commit}`);
  }
  t.strictSame(await findLoss(t, image, (folder) => rmSync(wal(folder))), [lossAfter(0)], 'without the log');
});

t.test('STORE71 a start without acknowledged commits is refused, until the operator accepts the loss', async (t) => {
  const { dataDir, folder } = await killedDirectory(t);
  const open = (): RunningDirectory => new RunningDirectory({ dataDir, durability: 'full', folder, onError: fail });
  const last = framesOf(readFileSync(join(dataDir, DIRECTORY_WAL))).at(-1);
  flip(join(dataDir, DIRECTORY_WAL), (last?.at ?? 0) + 100);
  const refusal = {
    code: 'unavailable',
    message: new RegExp(`^${lossAfter(COMMITS - 1)}. Restore a backup. To go on .* remove .*${ACKNOWLEDGED_FILE}$`),
  };
  t.throws(open, refusal);
  t.throws(open, refusal, 'every time');
  rmSync(join(dataDir, ACKNOWLEDGED_FILE));
  const directory = open();
  t.equal(directory.number, COMMITS - 1);
  directory.runNow([registration(COMMITS)]);
  directory.close();
  t.strictSame((await checkFolder(dataDir)).problems, []);
  open().close();
});

t.test('CRASH10 acknowledged commits of a shard are in its file or in a log, or their loss is found', async (t) => {
  const dataDir = await temporaryFolder(t);
  const { id: folder } = await prepareFolder({ dataDir, shards: 1 });
  const options = { shard: 0, shards: 1, durability: 'full', folder, onError: fail } as const;
  const log = openThreadLog({ dataDir, folder, thread: 0, onError: fail });
  const shard = openShard({ ...options, dataDir, log });
  t.teardown(() => {
    shard.close();
    log.close();
  });
  const answer = { scope: 'a', key: 'b', fingerprint: 'f', body: null, shows: null, position: null, outboxId: null };
  shard.transaction(() => shard.answers.keep(answer, NOW));
  const number = shard.number;
  const image = await imageOf(t, dataDir);
  t.strictSame(await findLoss(t, image, () => undefined), []);
  const removeData = (copy: string): void => {
    for (const name of readdirSync(copy)) if (name === SHARD_WAL || name.startsWith(log.name)) rmSync(join(copy, name));
  };
  const loss = `shard-00.sqlite ends with commit 0, and commit ${number} was acknowledged`;
  const problems = await findLoss(t, image, removeData);
  t.strictSame([problems.length, problems[0]?.slice(0, loss.length)], [1, loss]);
  removeData(image);
  t.throws(() => openShard({ ...options, dataDir: image }), { code: 'unavailable', message: new RegExp(`^${loss}`) });
});

t.test('STORE71 commits that a power cut may undo, and those of another folder, are no loss', async (t) => {
  const { dataDir: normal } = await killedDirectory(t, 'normal');
  t.strictSame(await findLoss(t, normal, (folder) => rmSync(join(folder, DIRECTORY_WAL))), [], 'DURABILITY=normal');
  const { dataDir: image } = await killedDirectory(t);
  const acknowledged = readFileSync(join(image, ACKNOWLEDGED_FILE));
  const { dataDir: other } = await killedDirectory(t, 'normal');
  t.strictSame(
    await findLoss(t, other, (folder) => {
      writeFileSync(join(folder, ACKNOWLEDGED_FILE), acknowledged);
      rmSync(join(folder, DIRECTORY_WAL));
    }),
    [],
    'of another folder',
  );
  for (const at of [5, 6, 9]) {
    t.strictSame(await findLoss(t, image, (folder) => flip(join(folder, ACKNOWLEDGED_FILE), at)), [], `byte ${at} of the numbers is damaged`);
  }
});
