import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { acquireLock } from '../../src/store/sqlite/lock.js';

const LOCK_MODULE = JSON.stringify(new URL('../../src/store/sqlite/lock.js', import.meta.url).href);

/** A separate process that takes the lock, reports the result, and keeps the lock until it is killed. */
function spawnHolder(file: string) {
  const program = `
    import { acquireLock } from ${LOCK_MODULE};
    const lock = acquireLock(${JSON.stringify(file)});
    process.stdout.write(lock === 'held' ? 'held' : 'acquired');
    setInterval(() => lock, 60_000);
  `;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

t.test('STORE5 a lock is held once, and free again after its release', (t) => {
  const file = join(t.testdir(), 'a.lock');
  const first = acquireLock(file);
  if (first === 'held') throw new Error('a fresh lock is held');
  t.equal(acquireLock(file), 'held');
  t.equal(acquireLock(file), 'held', 'the refusal itself released nothing');
  first.release();
  const second = acquireLock(file);
  t.not(second, 'held');
  if (second !== 'held') second.release();
  t.end();
});

t.test('STORE5 a lock is refused to another thread of the same process', async (t) => {
  const file = join(t.testdir(), 'a.lock');
  const lock = acquireLock(file);
  if (lock === 'held') throw new Error('a fresh lock is held');
  const program = `
    import(${LOCK_MODULE}).then(({ acquireLock }) => {
      require('node:worker_threads').parentPort.postMessage(acquireLock(${JSON.stringify(file)}));
    });
  `;
  const worker = new Worker(program, { eval: true });
  t.same(await once(worker, 'message'), ['held']);
  await worker.terminate();
  t.equal(await stateSeenByAnotherProcess(file), 'held', 'the end of that thread released nothing');
  lock.release();
});

t.test('STORE5 a lock of another process is respected, and is free when that process is killed', async (t) => {
  const file = join(t.testdir(), 'a.lock');
  const holder = spawnHolder(file);
  const [said] = await once(holder.stdout, 'data');
  t.equal(String(said), 'acquired');
  t.equal(acquireLock(file), 'held');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = acquireLock(file);
  t.not(lock, 'held');
  t.equal(await stateSeenByAnotherProcess(file), 'held');
  if (lock !== 'held') lock.release();
  t.equal(await stateSeenByAnotherProcess(file), 'acquired');
});

async function stateSeenByAnotherProcess(file: string): Promise<string> {
  const other = spawnHolder(file);
  const [said] = await once(other.stdout, 'data');
  other.kill('SIGKILL');
  await once(other, 'exit');
  return String(said);
}
