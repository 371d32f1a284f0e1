import { randomInt } from 'node:crypto';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import type { InstanceView } from '../support/cluster/cluster.js';
import { NatsProcess } from '../support/cluster/natsProcess.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { Api } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { monotonicTime } from '../support/monotonicTime.js';
import { chooseCuts, type Cut } from '../support/powerCut/cut.js';
import { expectUnharmed } from '../support/powerCut/expectUnharmed.js';
import { CUT_MODES, type CutMode } from '../support/powerCut/fate.js';
import { Load } from '../support/powerCut/load.js';
import { Recording, type RecordedService } from '../support/powerCut/recording.js';
import { IS_LONG_FORM } from '../support/runner/testProcess.js';
import { seededRandom } from '../support/seededRandom.js';
import { changeUser } from '../support/service/operator.js';
import { compilePreload } from '../support/service/preload.js';
import { temporaryFolder } from '../support/store/folder.js';
import { until, untilResolved } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const SHARDS = 4;
const settings = { SHARDS: String(SHARDS), SHARD_THREADS: '1', DURABILITY: 'full', JWT_SECRET: 'of the tests alone' };
const PHASE = IS_LONG_FORM ? { changes: 200, newcomers: 3, files: 5 } : { changes: 60, newcomers: 1, files: 2 };
/** In the long form each move of shards is cut in every mode, and often. */
const REPETITIONS = 3;

const nats = await findNatsServer();
const library = await compilePreload(packagePath('test/support/powerCut/recorder.c'), await temporaryFolder(t));
if ('missing' in nats || 'missing' in library) {
  skipFile('CRASH4', [nats, library].flatMap((found) => ('missing' in found ? found.missing : [])).join('; '));
}

const seed = randomInt(2 ** 31);
const random = seededRandom(seed);

// All requests go to the first instance. A second one takes shards, gives them back, takes them again and is killed.
const { url: natsUrl } = await NatsProcess.start(t, nats.path);
const recording = await Recording.prepare(t, library.path, { ...settings, NATS_URL: natsUrl });
const stays = await recording.start();
const api = await Api.connect(stays.url);
const operator = await newUser(api);
await changeUser(recording.dataDir, operator.id, { is_superuser: true });
const load = await Load.prepare(api, { writers: 4, workplaces: 3, shards: SHARDS });
await load.start(stays.url);
const joining = monotonicTime();
const leaves = await recording.start();
await untilOwning(leaves);
await load.advance(PHASE);
const leaving = monotonicTime();
await leaves.stop();
const left = monotonicTime();
await load.advance(PHASE);
const dies = await recording.start();
await untilOwning(dies);
await load.advance(PHASE);
await load.pause();
const dying = monotonicTime();
await dies.killBetweenChanges('idle');
await untilSettled();
const taken = monotonicTime();
await load.start(stays.url);
await load.advance(PHASE);
await stays.killBetweenChanges();
await load.gone();

const records = recording.records();
/** Right after a write there is something to drop. */
const writeTimes = records.filter(({ kind }) => kind === 'write').map(({ time }) => time);
const ended = writeTimes.at(-1) ?? 0;
t.comment(`seed ${seed}; ${load.figures}, ${records.length} records`);

function cuts(from: number, to: number, ...modes: readonly CutMode[]): Cut[] {
  const all = IS_LONG_FORM ? Array.from({ length: REPETITIONS }, () => CUT_MODES).flat() : modes;
  return chooseCuts(writeTimes, { from, to }, all, random);
}

/** Until the instance owns shards. */
async function untilOwning({ pid }: RecordedService): Promise<void> {
  const { token } = operator;
  await until(async () => {
    const { body } = await api.request<{ instances: InstanceView[] }>('GET', '/admin/cluster', { token });
    const owned = body.instances.find((instance) => instance.pid === pid)?.owns ?? [];
    return owned.some((name) => name.startsWith('shard'));
  });
}

/** Until the first instance has taken the shards of the dead one. */
async function untilSettled(): Promise<void> {
  await untilResolved(() => load.settle(stays.url));
}

t.test('CRASH2 so it is after a cut while shards move between instances, cleanly or not', async (t) => {
  const writers = new Set(records.flatMap((record) => (record.kind === 'flush began' ? [Number(record.flush >> 32n)] : [])));
  t.ok(
    [stays, leaves, dies].every(({ pid }) => writers.has(pid)),
    'each instance had files to write',
  );
  await expectUnharmed(t, { records, load, settings }, [
    ...cuts(joining, leaving, 'drop', 'torn'),
    ...cuts(leaving, left, 'drop', 'subset'),
    ...cuts(dying, taken, 'torn'),
    ...cuts(taken, ended, 'drop'),
  ]);
});
