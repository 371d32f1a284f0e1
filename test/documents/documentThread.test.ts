import t from 'tap';
import { Worker } from 'node:worker_threads';
import type { FoundPeople, ImportRequest } from '../../src/api/documentsPort.js';
import { DocumentThreadClient } from '../../src/documents/documentThreadClient.js';
import { TaskThread } from '../../src/documents/taskThread.js';
import { AppError } from '../../src/domain/errors.js';
import { ann, ids } from '../support/store/faultyStorePartition.js';
import { testConfig } from '../support/service/app.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';

function requestFor(document: object): ImportRequest {
  const text = Buffer.from(JSON.stringify({ format: 'switchboard-board', version: 1, title: 'Board', ...document }));
  return { text: [text], boardId: ids.fresh(), importer: ann, now: '2030-01-01T00:00:00.000Z', files: [], maxFileBytes: 1_000 };
}

const MEMBERS = { members: [{ email: 'ben@example.org', username: 'ben', role: 'member' }] };
const TITLE = Buffer.from(JSON.stringify({ title: 'x' }));
const noPeople = async () => ({ users: [], notInvited: [] });

/** The thread does not keep a process alive; the service does. */
const alive = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(alive));

function startClient(t: { teardown(end: () => unknown): unknown }, startThread?: () => Worker) {
  const errors: Error[] = [];
  const onError = (error: Error): unknown => errors.push(error);
  const options = { limits: DEFAULT_LIMITS, imports: testConfig({}), onError, ...(startThread === undefined ? {} : { startThread }) };
  const client = new DocumentThreadClient(options);
  t.teardown(() => client.close());
  return { client, errors };
}

t.test('TRANSFER13 an import whose members cannot be looked up fails with that error, and the next task works', async (t) => {
  const { client } = startClient(t);
  const away = new AppError('unavailable', 'The directory is away');
  const failing = t.rejects(
    client.planImport(requestFor(MEMBERS), () => Promise.reject(away)),
    away,
  );
  const waiting = client.planImport(requestFor({}), noPeople);
  await failing;
  t.strictSame(await client.validateBody('board.create', TITLE, 'ann'), { ok: true, value: { title: 'x' } });
  t.match(await waiting, { source: 'switchboard', imported: { members: 0 } });
});

t.test('TRANSFER13 a thread that dies fails its own task and is replaced', async (t) => {
  let started = 0;
  const { client, errors } = startClient(t, () => {
    started += 1;
    const limits = DEFAULT_LIMITS;
    const sound = new URL('../../src/documents/documentThread.js', import.meta.url);
    if (started > 1) return new Worker(sound, { workerData: { limits } });
    return new Worker('throw new Error("no memory left")', { eval: true });
  });
  await t.rejects(client.validateBody('board.create', TITLE, 'ann'), { code: 'too_large' });
  t.match(errors, [{ message: 'no memory left' }]);
  t.match(await client.validateBody('board.create', TITLE, 'ann'), { ok: true });
});

t.test('TRANSFER13 bodies do not wait for documents, callers take turns, and a stop refuses what waits', async (t) => {
  const { client } = startClient(t);
  let release: (people: FoundPeople) => void = () => undefined;
  const people = new Promise<FoundPeople>((resolve) => (release = resolve));
  const document = client.planImport(requestFor(MEMBERS), () => people);
  const order: string[] = [];
  const body = (name: string, caller: string): Promise<unknown> =>
    client.validateBody('board.create', Buffer.from('{}'), caller).then(() => order.push(name));
  await Promise.all([body('ann 1', 'ann'), body('ann 2', 'ann'), body('ann 3', 'ann'), body('ben 1', 'ben')]);
  t.strictSame(order, ['ann 1', 'ann 2', 'ben 1', 'ann 3']);
  release({ users: [null], notInvited: [] });
  t.match(await document, { source: 'switchboard' });
  const refused = t.rejects(client.planImport(requestFor({}), noPeople), { code: 'unavailable' });
  await client.close();
  await refused;
});

/** A thread that answers after so long, on the processor or waiting. `startMs`: it waits before it runs. */
function slowThread(milliseconds: number, isBusy: boolean, startMs: number): Worker {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const { readlinkSync } = require('node:fs');
    const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    wait(${startMs});
    parentPort.postMessage({ kind: 'ready', clock: '/proc/' + readlinkSync('/proc/thread-self') + '/schedstat' });
    parentPort.on('message', () => {
      const end = performance.now() + ${milliseconds};
      if (${isBusy}) while (performance.now() < end);
      else wait(${milliseconds});
      parentPort.postMessage({ kind: 'failed', reason: 'the end' });
    });`;
  return new Worker(program, { eval: true });
}

t.test(
  'TRANSFER13 a task has its time on the processor, and is not refused because the machine is busy',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const task = (options: { milliseconds: number; isBusy: boolean; startMs?: number; maxTaskMs?: number }) => {
      const { milliseconds, isBusy, startMs = 0, ...limits } = options;
      const thread = new TaskThread({
        start: () => slowThread(milliseconds, isBusy, startMs),
        idleMs: () => 0,
        onError: () => undefined,
        taskMs: 200,
        ...limits,
      });
      t.teardown(() => thread.close());
      return thread.perform({ kind: 'body', operation: 'board.create', bytes: TITLE.slice() }, 'ann', noPeople);
    };
    t.match(await task({ milliseconds: 600, isBusy: false }), { kind: 'failed', reason: 'the end' });
    t.match(await task({ milliseconds: 100, isBusy: false, startMs: 600 }), { kind: 'failed', reason: 'the end' });
    await t.rejects(task({ milliseconds: 600_000, isBusy: true }), { code: 'too_large' });
    await t.rejects(task({ milliseconds: 600_000, isBusy: false, maxTaskMs: 600 }), { code: 'unavailable' });
  },
);
