/**
 * Loaded into every thread of a contestant before its own code. A collection in all of them makes their memory what
 * they hold: a thread at rest may keep for seconds what it has yet to sweep up, and tens of megabytes of room for new
 * objects that grew with what was done, not with what is held.
 */
import { Session } from 'node:inspector/promises';
import { BroadcastChannel, isMainThread, type Worker } from 'node:worker_threads';

const COLLECT = 'collect';
const DONE = 'done';

const channel = new BroadcastChannel('garbage of the benchmark');
channel.unref();
const workers = new Set<Worker>();

if (isMainThread) {
  process.on('worker', (worker) => {
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
  });
} else {
  channel.onmessage = (message) => {
    if (textOf(message) === COLLECT) void collect().then(() => channel.postMessage(DONE));
  };
}

/** For the main thread. */
export async function collectEverywhere(): Promise<void> {
  let waiting = workers.size;
  const others = new Promise<void>((resolve) => {
    if (waiting === 0) resolve();
    channel.onmessage = (message) => {
      if (textOf(message) === DONE) waiting -= 1;
      if (waiting === 0) resolve();
    };
  });
  channel.postMessage(COLLECT);
  await Promise.all([collect(), others]);
}

/** As the developer tools do it: `gc()` leaves the room for new objects as large as it is. */
async function collect(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

function textOf(message: unknown): unknown {
  return (message as { readonly data: unknown }).data;
}
