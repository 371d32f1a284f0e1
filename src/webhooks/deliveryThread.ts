/** The thread that delivers: connections, certificates and slow receivers take no time of the other threads. */
import { parentPort, workerData } from 'node:worker_threads';
import { GuardedFetch } from '../net/guardedFetch.js';
import { deliver } from './deliver.js';
import type { FromThread, JobResult, ThreadSettings, ToThread } from './messages.js';

const port = parentPort;
if (port === null) throw new Error('deliveryThread is started as a worker thread');
const fetch = new GuardedFetch(workerData as ThreadSettings);
const running = new Map<number, AbortController>();

port.on('message', (message: ToThread) => {
  if (message.kind === 'stop') return running.get(message.id)?.abort();
  const { id, job } = message;
  const stop = new AbortController();
  running.set(id, stop);
  void deliver(job, fetch, stop.signal).then((result: JobResult) => {
    running.delete(id);
    port.postMessage({ id, result } satisfies FromThread);
  });
});
