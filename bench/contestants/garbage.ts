/**
 * Loaded into every thread of a contestant before its own code. After a collection in all threads their memory is what
 * they hold. An idle thread may otherwise keep garbage for seconds, and tens of megabytes of space for new objects that
 * grew with the work done, not with the data held.
 */
import { Session } from 'node:inspector/promises';
import { BroadcastChannel, isMainThread, threadId, type Worker } from 'node:worker_threads';

type Message = { readonly kind: 'collect' } | { readonly kind: 'done'; readonly thread: number };

const channel = new BroadcastChannel('garbage of the benchmark');
channel.unref();
/** Of the main thread: the live threads, and the callback for a thread that has collected or ended. */
const workers = new Set<number>();
let onSettled: (thread: number) => void = () => undefined;

if (isMainThread) {
  process.on('worker', (worker: Worker) => {
    const thread = worker.threadId;
    workers.add(thread);
    worker.once('exit', () => {
      workers.delete(thread);
      onSettled(thread);
    });
  });
  listen((message) => {
    if (message.kind === 'done') onSettled(message.thread);
  });
} else {
  listen((message) => {
    if (message.kind === 'collect') void collect().then(() => send({ kind: 'done', thread: threadId }));
  });
}

/** For the main thread. */
export async function collectEverywhere(): Promise<void> {
  const waiting = new Set(workers);
  const others = new Promise<void>((resolve) => {
    onSettled = (thread) => {
      waiting.delete(thread);
      if (waiting.size === 0) resolve();
    };
    if (waiting.size === 0) resolve();
  });
  send({ kind: 'collect' });
  await Promise.all([collect(), others]);
}

/** As the developer tools do it: `gc()` does not shrink the space for new objects. */
async function collect(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

function send(message: Message): void {
  channel.postMessage(message);
}

function listen(receive: (message: Message) => void): void {
  channel.onmessage = (event) => receive((event as { readonly data: Message }).data);
}
