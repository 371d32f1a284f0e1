/** The thread that delivers, with receivers on this machine. */
import t, { type Test } from 'tap';
import { Deferred } from '../../src/flow/deferred.js';
import { GuardedFetch } from '../../src/net/guardedFetch.js';
import { deliver } from '../../src/webhooks/deliver.js';
import type { Job } from '../../src/webhooks/messages.js';
import { Sender } from '../../src/webhooks/sender.js';
import { Receiver } from '../support/webhooks/receiver.js';

const BOARD = '00000000-0000-4000-8000-000000000002';
const MOVED = JSON.stringify({ type: 'card.moved', user_id: null, data: { title: 'Paint' } });

function jobTo(url: string, json: string, attempt = 0): Job {
  const due = [{ id: 'x', type: 'card.moved', position: { epoch: '0', seq: 1 }, json } as const];
  return { url, format: 'slack', secrets: [], board_id: BOARD, board_title: 'House', names: {}, due, attempt };
}

function newSender(t: Test) {
  const [faults, losses]: [string[], Error[]] = [[], []];
  const sender = new Sender({ allowed: ['127.0.0.0/8'], onError: (error) => losses.push(error), onFault: (stack) => faults.push(stack) });
  t.teardown(() => sender.close());
  return { sender, faults, losses };
}

t.test('HOOK2 a delivery that this program cannot make fails alone, and is reported once', async (t) => {
  const { sender, faults, losses } = newSender(t);
  const receiver = await Receiver.start(t);
  const held = new Deferred<() => void>();
  receiver.behaviour = (response) => held.resolve(() => response.writeHead(204).end());
  const other = sender.deliver(jobTo(receiver.url, MOVED));
  const answer = await held.promise;
  for (const attempt of [0, 1]) {
    const failed = { deliveries: [{ status: null, error: 'the message could not be made', attempt: attempt + 1 }], end: 'failed' };
    t.match(await sender.deliver(jobTo(receiver.url, 'not JSON', attempt)), failed);
  }
  answer();
  t.match(await other, { deliveries: [{ status: 204 }], end: 'done' }, 'a job in the same thread goes on');
  t.equal(faults.length, 1);
  t.match(faults[0], /SyntaxError[^]*requestFor/, 'with its place');
  t.strictSame(losses, []);
});

t.test('HOOK2 a job that is given up frees its connection', async (t) => {
  // It would end by itself after an hour.
  const fetch = new GuardedFetch({ allowed: ['127.0.0.0/8'], timeoutMs: 3_600_000 });
  t.teardown(() => fetch.close());
  const receiver = await Receiver.start(t);
  const [asked, closed] = [new Deferred<undefined>(), new Deferred<undefined>()];
  receiver.behaviour = (response) => {
    response.on('close', () => closed.resolve(undefined));
    asked.resolve(undefined);
  };
  const stop = new AbortController();
  const job = deliver(jobTo(receiver.url, MOVED), fetch, stop.signal);
  await asked.promise;
  stop.abort();
  t.match(await job, { deliveries: [{ status: null }], end: 'failed' });
  await closed.promise;
});
