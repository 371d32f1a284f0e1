/** What is stored while a snapshot is taken, at each step: a machine must be able to begin with it. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { JetStreamRefusal } from '../../src/log/jetStream.js';
import { takeSnapshot } from '../../src/replication/takeSnapshot.js';
import { Seal } from '../../src/wire/sealing.js';
import { FakeSnapshotServer } from '../support/log/fakeSnapshotServer.js';
import { breakProgram } from '../support/log/mutants.js';
import { temporaryFolder } from '../support/store/folder.js';
import { sql } from '../support/store/sqlFile.js';
import { currentFixture } from '../support/store/upgradeFixture.js';

const FILE = 'shard-00.sqlite';
const IDENTITY = { cluster: 'ours', created: 'then', generation: 1 };
/** The third one is the first that replaces an older one. */
const SNAPSHOTS = 3;

interface Program {
  readonly take: typeof takeSnapshot;
  readonly Refusal: typeof JetStreamRefusal;
}

const SOUND: Program = { take: takeSnapshot, Refusal: JetStreamRefusal };

/** Takes snapshots, with commits between them, some of them interrupted: one after each number of steps. */
async function takeAll(t: Test, { take, Refusal }: Program): Promise<FakeSnapshotServer> {
  const dataDir = await temporaryFolder(t);
  await cp(join(currentFixture(), FILE), join(dataDir, FILE));
  sql(
    join(dataDir, FILE),
    `INSERT INTO log_position (id, cluster, created, generation, applied, chain, term) VALUES (1, 'ours', 'then', 1, 1, 'c', 1)`,
  );
  const server = new FakeSnapshotServer({ identity: IDENTITY, Refusal });
  const options = {
    server: server.jetStream,
    prefix: 'boards',
    seal: new Seal(Buffer.from('shared')),
    secret: 'shared',
    partition: 'shard 0',
    dataDir,
    instance: 'us',
    living: ['us'],
  } as const;
  const takeOne = async (steps: number): Promise<boolean> => {
    server.last += 10;
    sql(join(dataDir, FILE), `UPDATE log_position SET applied = ${server.last}`);
    server.stepsLeft = steps;
    return take(options).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refusal) return false;
        throw error;
      },
    );
  };
  for (let n = 0; n < SNAPSHOTS; n += 1) await takeOne(Infinity);
  for (let steps = 0; server.problems.length === 0 && !(await takeOne(steps)); steps += 1);
  await takeOne(Infinity);
  return server;
}

t.test('SNAPSHOT1 however taking one is interrupted, two snapshots and the log since the older one are there', async (t) => {
  const server = await takeAll(t, SOUND);
  t.strictSame(server.problems, []);
  t.equal(server.first, server.last - 10, 'and what they replace is removed');
});

const MUTATIONS = {
  'records are purged before the snapshot that covers them is stored': [
    'const manifest = await storeSnapshot(stream, options, taken, state);',
    'await new JetStreamLog(server, (await requireLog(options.server, options.prefix, options.partition)).address).purge(state.followed.position.applied);\n' +
      'const manifest = await storeSnapshot(stream, options, taken, state);',
  ],
  'the log is purged up to the newest snapshot': ['purge(Math.min(newer.seq, older.seq))', 'purge(newer.seq + 1)'],
  'a snapshot is visible before its content is stored': [
    'const { chunks, ...content } = await storeContent(place, file);',
    "await stream.publish({ partition, id, ...followed.identity, seq: followed.position.applied, chain: '', term: 0, schema, commits, bytes: 0, sha256: '0'.repeat(64), chunks: [999999] });\n" +
      'const { chunks, ...content } = await storeContent(place, file);',
  ],
} as const;

for (const [name, replace] of Object.entries(MUTATIONS)) {
  t.test(`SNAPSHOT1 found out: ${name}`, async (t) => {
    const load = await breakProgram(t, { file: 'replication/takeSnapshot.js', replace: [replace] });
    const { takeSnapshot: take } = await load<{ takeSnapshot: typeof takeSnapshot }>('replication/takeSnapshot.js');
    const { JetStreamRefusal: Refusal } = await load<{ JetStreamRefusal: typeof JetStreamRefusal }>('log/jetStream.js');
    const { problems } = await takeAll(t, { take, Refusal });
    t.comment(problems[0]);
    t.ok(problems.length > 0, 'nobody sees a difference');
  });
}
