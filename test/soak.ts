/**
 * Runs the service under churn for the given number of minutes (`npm run soak -- 30`), and shows whether its memory
 * grows, and which part of it. In the first quarter caches fill and code is compiled; after it the memory must not grow.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../src/paths.js';
import { ServiceProcess } from './support/service/serviceProcess.js';
import { liveThroughBoard, newChurnUser, type ChurnCount, type ChurnUser } from './support/soak/churn.js';
import { HEAP_REPORTS, SAMPLE_MS } from './support/soak/heapReport.js';
import { PARTS, readMemoryParts, type MemoryParts } from './support/soak/memoryParts.js';

const MIB = 1024 * 1024;
const USERS = 12;
/** How often a new user replaces an old one. */
const BOARDS_PER_USER = 10;
/** The maximum growth from the median of the second quarter to that of the last. */
const MAX_GROWTH_BYTES = 15 * MIB;
const QUARTERS = 4;

const minutes = Number(process.argv[2] ?? 30);
if (!(minutes > 0)) throw new Error('How many minutes?');
const folder = await mkdtemp(join(tmpdir(), 'switchboard-soak-'));
const [dataDir, heapReports] = [join(folder, 'data'), join(folder, 'heaps')];
await mkdir(dataDir, { mode: 0o700 });
await writeFile(heapReports, '');
const service = await ServiceProcess.start({
  DATA_DIR: dataDir,
  // On a busy machine all users may import at the same time.
  MAX_IMPORTS: String(USERS),
  // Also the limit of deletions in an hour: each user deletes about fifty boards in a minute.
  MAX_BOARDS_PER_USER: '100000',
  NODE_OPTIONS: `--import ${pathToFileURL(packagePath('dist', 'test', 'support', 'soak', 'reportHeaps.js'))}`,
  [HEAP_REPORTS]: heapReports,
});
const count: ChurnCount = { requests: 0, messages: 0, failures: [] };
const endsAt = performance.now() + minutes * 60_000;
const samples: MemoryParts[] = [];
const sampler = setInterval(() => {
  samples.push(readMemoryParts({ pid: service.pid, dataDir, heapReports }));
  if (samples.length % 12 === 0) {
    const megabytes = samples.slice(-12).map(({ resident }) => Math.round(resident / MIB));
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
console.log(`${count.requests} requests, ${count.messages} messages, ${count.failures.length} failures`);
for (const failure of count.failures) console.log(`  ${failure}`);
console.log('medians of the quarters in MB; `pages` is what SQLite may cache of its files:');
for (const part of PARTS) console.log(`  ${part.padEnd(10)}${quarterMedians(part).map(inMegabytes).join('')}`);
const [, second = 0, , last = 0] = quarterMedians('resident');
const growth = last - second;
const isFlat = growth <= MAX_GROWTH_BYTES && count.failures.length === 0;
console.log(isFlat ? 'flat' : `NOT flat: ${Math.round(growth / MIB)} MB from the second quarter to the last`);
console.log(`stopped with code ${await service.stop()}`);
await rm(folder, { recursive: true });
process.exitCode = isFlat ? 0 : 1;

function quarterMedians(part: keyof MemoryParts): number[] {
  const size = Math.floor(samples.length / QUARTERS);
  const values = samples.map((sample) => sample[part]);
  return Array.from({ length: QUARTERS }, (_, quarter) => median(values.slice(quarter * size, (quarter + 1) * size)));
}

function inMegabytes(bytes: number): string {
  return (bytes / MIB).toFixed(1).padStart(8);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
