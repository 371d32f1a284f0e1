import { randomInt } from 'node:crypto';
import t from 'tap';
import { Api } from '../support/http/api.js';
import type { CrashWriter } from '../support/store/crashWriter.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { findProblems, newWorld, settle } from '../support/store/crashWorld.js';
import { temporaryFolder } from '../support/store/folder.js';

const ROUNDS = 4;
const WORLD = { writers: 6, workplaces: 2 };
const SETTINGS = { SHARDS: '2', SHARD_THREADS: '1', LOG_LEVEL: 'info' };

t.test('CRASH1 every acknowledged change survives a kill, and nothing is half done', async (t) => {
  const folder = await temporaryFolder(t);
  const settings = { ...SETTINGS, DATA_DIR: folder };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  let api = await Api.connect(service.url);
  const world = await newWorld(api, WORLD);
  let interrupted = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const acknowledged = await writeUntilKilled(api, service, world.writers);
    interrupted += world.writers.reduce((sum, writer) => sum + writer.unanswered, 0);
    service = await ServiceProcess.start(settings);
    api = await Api.connect(service.url);
    t.strictSame(await findProblems(api, world), [], `round ${round}, killed after ${acknowledged} acknowledged changes`);
    await settle(api, world);
  }
  t.ok(interrupted > 0, 'changes were under way when the service was killed');
});

/** Returns how many changes were acknowledged. */
async function writeUntilKilled(api: Api, service: ServiceProcess, writers: readonly CrashWriter[]): Promise<number> {
  const enough = randomInt(40, 240);
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const count = (): boolean => {
    acknowledged += 1;
    if (acknowledged === enough) killed = service.kill();
    return true;
  };
  await Promise.all(writers.map((writer) => writer.write(api, count)));
  await killed;
  return acknowledged;
}
