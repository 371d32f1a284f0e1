/** Snapshots of logs on real nats-servers: what they replace, and who begins with one. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import t from 'tap';
import { askForSnapshot } from '../../src/operator/client.js';
import { boardKeyOf, shardOf, type Uuid } from '../../src/domain/ids.js';
import type { ShardName } from '../../src/partitions/messages.js';
import { partitionFile } from '../../src/replication/partitionFile.js';
import { fileForm } from '../support/board/populatedBoard.js';
import { MACHINE_SHARDS, Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { SnapshotView } from '../support/cluster/snapshotView.js';
import { newUser } from '../support/http/users.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { query } from '../support/store/sqlFile.js';

const nats = await findClusterNats();
const machinesTest = { skip: skipWithout(nats) };

/** Enough changes for a snapshot. */
const LOG_BYTES = 4_000;
/** Of many chunks, so that its snapshot takes a while. */
const LARGE_BYTES = 5 * 1024 * 1024;
/** A snapshot is under way for a short time. */
const LOOK_FOR_CHUNKS_MS = 1;

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('SNAPSHOT1 snapshots replace the beginnings of logs while the cluster runs', machinesTest, async (t) => {
  const machines = await Machines.prepare(t, pathOf(nats), { SNAPSHOT_LOG_BYTES: String(LOG_BYTES) });
  await Promise.all([machines.startInstance(0), machines.startInstance(1)]);
  const view = new SnapshotView(t, machines);
  await view.server.connected();
  const { token } = await newUser(machines.api(0));
  const { body: board } = await machines.api(0).request<{ id: Uuid }>('POST', '/boards', { token, json: { title: 'Board' } });
  const shard: ShardName = `shard ${shardOf(boardKeyOf(board.id), MACHINE_SHARDS)}`;
  let changes = 0;
  const change = async (machine = 0): Promise<void> => {
    changes += 1;
    await until(
      async () =>
        (await machines.api(machine).request('PATCH', `/boards/${board.id}`, { token, json: { title: `Title ${changes}` } })).status === 200,
    );
  };
  const takeTwo = async (): Promise<void> => {
    for (let n = 0; n < 2; n += 1) {
      await change();
      await change();
      // The copy may lag, and without a change there is no new snapshot.
      await until(async () => titleIn(machines.machine(0).dataDir, shard, board.id) === `Title ${changes}`);
      await askForSnapshot(machines.machine(0).dataDir, shard);
    }
  };
  /** Kills machine 1 when it has stored a part of a snapshot. The subject of that part. */
  const killWhileTaking = (): Promise<string> =>
    until(async () => {
      const [instance] = (await machines.overview(1)).instances;
      const known = await view.chunkSubjects();
      const isNew = (subject: string): boolean => !known.includes(subject) && subject.includes(`.${instance?.id}-`);
      const taken = askForSnapshot(machines.machine(1).dataDir, shard).then(
        () => true,
        () => false,
      );
      const begun = await until(async () => (await view.chunkSubjects()).find(isNew), undefined, LOOK_FOR_CHUNKS_MS);
      await machines.service(1).kill();
      if (!(await taken) && !(await view.manifests(shard)).some(({ id }) => begun.endsWith(id))) return begun;
      // It was finished before the kill, on a machine too busy to look in time.
      await machines.startInstance(1);
      await change();
      await view.untilCaughtUp([0, 1, 2], shard);
      return null;
    });
  const emptyMachine = async (number: number): Promise<void> => {
    if (machines.machine(number).service?.isRunning === true) await machines.service(number).kill();
    const { dataDir } = machines.machine(number);
    await rm(dataDir, { recursive: true });
    await mkdir(dataDir);
  };

  await t.test('SNAPSHOT1 a long log gets a snapshot by itself, and later ones replace its beginning', async (t) => {
    for (let n = 0; n < 20; n += 1) await change();
    const [first] = await until(async () => ((await view.manifests(shard)).length > 0 ? view.manifests(shard) : null));
    t.equal((await view.bounds(shard)).first, 1, 'one snapshot replaces nothing yet');
    await takeTwo();
    const kept = await view.manifests(shard);
    t.equal(kept.length, 2, 'the two newest are kept');
    t.ok((kept[1]?.seq ?? 0) > (first?.seq ?? Infinity));
    t.equal((await view.bounds(shard)).first, kept[1]?.seq, 'and the log since the older one');
    t.strictSame((await view.chunkSubjects()).filter((subject) => subject.includes(shard.replace(' ', '-'))).length, 2, 'with their chunks');
    t.strictSame(
      view.filesOf(0).filter((name) => /taken|fetched/.test(name)),
      [],
      'no temporary file is left',
    );
  });

  await t.test('SNAPSHOT2 a new machine begins with a snapshot and becomes an equal copy', async (t) => {
    await machines.startInstance(2);
    const states = await view.untilEqual([0, 1, 2], shard, change);
    t.equal(new Set(states.map(({ followed }) => followed.position.chain)).size, 1, 'one chain');
    t.equal(new Set(states.map(({ commits }) => commits)).size, 1, 'and one number of commits');
    t.match(await machines.api(2).request('GET', `/boards/${board.id}`, { token }), { status: 200, body: { title: `Title ${changes}` } });
  });

  await t.test('SNAPSHOT2 a copy that was away past the purge of its log replaces itself', async (t) => {
    machines.service(2).freeze();
    machines.nats.links.disconnect(2);
    const [before, inode] = [view.fileState(2, shard).followed.position.applied, view.inode(2, shard)];
    await takeTwo();
    t.ok((await view.bounds(shard)).first > before + 1, 'the log cannot bring it forward');
    machines.service(2).resume();
    const states = await view.untilEqual([0, 1, 2], shard, change);
    t.equal(new Set(states.map(({ followed }) => followed.position.chain)).size, 1);
    t.not(view.inode(2, shard), inode, 'its file was replaced');
    t.ok(machines.service(2).isRunning, 'while it ran');
  });

  await t.test('SNAPSHOT1 an unfinished snapshot is invisible, and the next one removes it', async (t) => {
    const listed = await view.manifests(shard);
    const stream = view.stream(shard);
    for (let n = 0; n < 3; n += 1) await stream.storeChunk('dead-instance-0123456789ab', Buffer.alloc(300_000, n));
    t.strictSame(await view.manifests(shard), listed);
    t.ok((await view.chunkSubjects()).some((subject) => subject.endsWith('.dead-instance-0123456789ab')));
    await takeTwo();
    t.notOk((await view.chunkSubjects()).some((subject) => subject.endsWith('.dead-instance-0123456789ab')));

    await t.test('also one whose instance was killed in the middle of it', async (t) => {
      // The machine that was away takes its share again: an upload must not meet the move of its shard.
      await machines.settled();
      const { body: column } = await machines
        .api(0)
        .request<{ id: string }>('POST', `/boards/${board.id}/columns`, { token, json: { title: 'Column' } });
      const card = await machines
        .api(0)
        .request<{ id: string }>('POST', `/boards/${board.id}/columns/${column.id}/cards`, { token, json: { title: 'Card' } });
      const upload = { token, body: fileForm(randomBytes(LARGE_BYTES)) };
      t.match(await machines.api(0).request('POST', `/cards/${card.body.id}/attachments`, upload), { status: 201 });
      await view.untilCaughtUp([0, 1, 2], shard);
      const unfinished = await killWhileTaking();
      t.notOk(
        (await view.manifests(shard)).some(({ id }) => unfinished.endsWith(id)),
        'it is invisible',
      );
      t.ok(
        view.filesOf(1).some((name) => name.endsWith('.taken')),
        'its file is left',
      );
      // The chunks of an instance are removed when the others no longer count it as living.
      await until(async () => {
        await takeTwo();
        return !(await view.chunkSubjects()).includes(unfinished);
      });
      await machines.startInstance(1);
      t.notOk(
        view.filesOf(1).some((name) => name.endsWith('.taken')),
        'until the next start',
      );
      t.strictSame(
        machines.service(1).warnings.filter((text) => /does not follow/.test(text)),
        [],
      );
      t.equal((await view.untilEqual([0, 1, 2], shard, change)).length, 3, 'and it was away past the purge of its log');
    });
  });

  await t.test('SNAPSHOT6 if a snapshot is damaged the older one is used', async (t) => {
    await damageNewest(view, shard);
    await emptyMachine(2);
    await machines.startInstance(2);
    const states = await view.untilEqual([0, 1, 2], shard, change);
    t.equal(new Set(states.map(({ followed }) => followed.position.chain)).size, 1);
  });

  await t.test('SNAPSHOT6 without a sound snapshot a machine says so, serves through the others, and goes on when there is one', async (t) => {
    await damageNewest(view, shard);
    await damageNewest(view, shard);
    await view.stream(shard).clean(() => false);
    await emptyMachine(2);
    await machines.startInstance(2);
    const warned = (): boolean => machines.service(2).warnings.some((text) => /does not follow its log/.test(text));
    t.ok(warned(), 'it is reported');
    t.throws(() => view.fileState(2, shard), /has followed no log yet/, 'and there is no empty copy that counts as one');
    await change(2);
    await takeTwo();
    const states = await view.untilEqual([0, 1, 2], shard, change);
    t.equal(new Set(states.map(({ followed }) => followed.position.chain)).size, 1);
  });

  await t.test('SNAPSHOT7 no stored chunk contains a password hash in the clear', async (t) => {
    t.match(await machines.command(1, 'cluster', 'snapshot', 'directory'), /directory: a snapshot has everything up to record \d+/);
    const [manifest] = await view.manifests('directory');
    for (const seq of manifest?.chunks ?? []) {
      const chunk = Buffer.from(await view.stream('directory').readChunk(seq));
      t.notOk(chunk.includes('SQLite format') || chunk.includes('scrypt'), 'it is encrypted');
      t.not(chunk.readUInt16BE(0), 0x1f8b, 'and shows no gzip header');
    }
  });
});

/** As the file of a copy has it. */
function titleIn(dataDir: string, shard: ShardName, board: Uuid): string | undefined {
  return query<{ title: string }>(partitionFile(dataDir, shard).path, `SELECT title FROM board WHERE id = '${board}'`)[0]?.title;
}

/** The newest snapshot gets a successor whose only chunk is not of it. */
async function damageNewest(view: SnapshotView, shard: ShardName): Promise<void> {
  const [newest] = await view.manifests(shard);
  if (newest === undefined) throw new Error('there is no snapshot');
  const id = `damaged-${Math.random().toString(36).slice(2)}`;
  const place = await view.stream(shard).storeChunk(id, Buffer.alloc(1_000, 7));
  await view.stream(shard).publish({ ...newest, id, chunks: [place] });
}
