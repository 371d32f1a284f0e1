/**
 * Runs the service under churn for the given number of minutes (`npm run soak -- 30`), and shows whether its memory
 * grows. In the first quarter caches fill and code is compiled; after it the memory must not grow.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentBytes } from './support/hostile/processMemory.js';
import { ServiceProcess } from './support/service/serviceProcess.js';
import { liveThroughBoard, newChurnUser, type ChurnCount, type ChurnUser } from './support/soak/churn.js';

const MIB = 1024 * 1024;
const USERS = 12;
/** How often a new user replaces an old one. */
const BOARDS_PER_USER = 10;
const SAMPLE_MS = 5_000;
/** The maximum growth from the median of the second quarter to that of the last. */
const MAX_GROWTH_BYTES = 15 * MIB;
const QUARTERS = 4;

const minutes = Number(process.argv[2] ?? 30);
if (!(minutes > 0)) throw new Error('How many minutes?');
const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-soak-'));
const service = await ServiceProcess.start({ DATA_DIR: dataDir });
const count: ChurnCount = { requests: 0, messages: 0, failures: [] };
const endsAt = performance.now() + minutes * 60_000;
const samples: number[] = [];
const sampler = setInterval(() => {
  samples.push(residentBytes(service.pid));
  if (samples.length % 12 === 0) {
    const megabytes = samples.slice(-12).map((bytes) => Math.round(bytes / MIB));
    console.log(`${Math.round((samples.length * SAMPLE_MS) / 60_000)} min: ${megabytes.join(' ')} MB, ${count.requests} requests`);
  }
}, SAMPLE_MS);

async function live(): Promise<void> {
  let [owner, guest]: [ChurnUser, ChurnUser] = [await newChurnUser(service.url), await newChurnUser(service.url)];
  for (let boards = 1; performance.now() < endsAt; boards += 1) {
    await liveThroughBoard(service.url, owner, guest, count);
    if (boards % BOARDS_PER_USER === 0) [owner, guest] = [guest, await newChurnUser(service.url)];
  }
}

await Promise.all(Array.from({ length: USERS }, live));
clearInterval(sampler);
const medians = Array.from({ length: QUARTERS }, (_, quarter) => {
  const size = Math.floor(samples.length / QUARTERS);
  return median(samples.slice(quarter * size, (quarter + 1) * size));
});
const growth = (medians[QUARTERS - 1] ?? 0) - (medians[1] ?? 0);
console.log(`${count.requests} requests, ${count.messages} messages, ${count.failures.length} failures`);
for (const failure of count.failures) console.log(`  ${failure}`);
console.log(`medians of the quarters: ${medians.map((bytes) => Math.round(bytes / MIB)).join(', ')} MB`);
const isFlat = growth <= MAX_GROWTH_BYTES && count.failures.length === 0;
console.log(isFlat ? 'flat' : `NOT flat: ${Math.round(growth / MIB)} MB from the second quarter to the last`);
console.log(`stopped with code ${await service.stop()}`);
await rm(dataDir, { recursive: true });
process.exitCode = isFlat ? 0 : 1;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
