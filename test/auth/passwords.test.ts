import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import type { Test } from 'tap';
import { createPasswords, startPasswordThread } from '../../src/auth/passwords.js';
import type { PasswordsOptions } from '../../src/auth/passwords.js';
import type { PasswordTask } from '../../src/auth/passwordThread.js';
import { AppError } from '../../src/domain/errors.js';
import { lookFor, pathOf, skipWithout } from '../support/service/programs.js';

const PARAMETERS = '$argon2id$v=19$m=19456,t=2,p=1$';

/** Real threads, and a record of every task they get. */
function recordTasks(onTask: (worker: Worker, task: PasswordTask) => 'deliver' | 'drop' = () => 'deliver') {
  const tasks: PasswordTask[] = [];
  const threads: Worker[] = [];
  const startThread = (): Worker => {
    const worker = startPasswordThread();
    const deliver = worker.postMessage.bind(worker);
    worker.postMessage = (task: PasswordTask) => {
      tasks.push(task);
      if (onTask(worker, task) === 'deliver') deliver(task);
    };
    threads.push(worker);
    return worker;
  };
  return { tasks, threads, startThread };
}

function setUp(t: Test, options: PasswordsOptions) {
  const reported: Error[] = [];
  const passwords = createPasswords({ onError: (error) => reported.push(error), ...options });
  t.teardown(() => passwords.close());
  return { passwords, reported };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'none';
}

t.test('PASS4 a hash is salted Argon2id and verifies its own password only', async (t) => {
  const { passwords } = setUp(t, {});
  const [one, two] = await Promise.all([passwords.hash('pässwörd'), passwords.hash('pässwörd')]);
  t.ok(one.startsWith(PARAMETERS), 'with the parameters we rely on');
  t.not(one, two, 'with a salt of its own');
  t.equal(await passwords.verify(one, 'pässwörd'), true);
  t.equal(await passwords.verify(one, 'passwort'), false);
});

t.test('AUTH6 an overlong password costs the same work, independent of its length', async (t) => {
  const { startThread, tasks } = recordTasks();
  const { passwords } = setUp(t, { threads: 1, startThread });
  t.equal(await passwords.verify(null, 'a'.repeat(1025)), false);
  t.match(tasks, [{ kind: 'verify', password: '', hash: /^\$argon2id\$/ }]);
  t.equal(tasks.length, 1);
});

t.test('AUTH6 an unknown user costs the same work as a known one', async (t) => {
  const { startThread, tasks } = recordTasks();
  const { passwords } = setUp(t, { threads: 1, startThread });
  const known = await passwords.hash('secret');
  tasks.length = 0;
  t.equal(await passwords.verify(known, 'guess'), false);
  t.equal(await passwords.verify(null, 'guess'), false);
  t.match(tasks, [
    { kind: 'verify', password: 'guess', hash: known },
    { kind: 'verify', password: 'guess', hash: new RegExp(`^${PARAMETERS.replaceAll('$', '\\$')}`) },
  ]);
  t.equal(tasks.length, 2, 'one check each');
});

t.test('PASS4 a stored hash that is not Argon2 matches no password, is reported, and costs one check', async (t) => {
  const { startThread, tasks } = recordTasks();
  const { passwords, reported } = setUp(t, { threads: 1, startThread });
  for (const stored of ['', 'plain', '$2b$10$N9qo8uLOickgx2ZMRZoMye', `${PARAMETERS}c2FsdA`]) {
    tasks.length = 0;
    reported.length = 0;
    t.equal(await passwords.verify(stored, 'plain'), false, `stored: ${stored}`);
    t.equal(reported.length, 1);
    t.match(tasks.at(-1), { kind: 'verify', hash: /^\$argon2id\$.+\$.+\$.+\$.+/ }, 'with the hash for unknown users');
  }
});

t.test('threads start on demand up to their maximum', async (t) => {
  const { startThread, threads } = recordTasks();
  const { passwords } = setUp(t, { threads: 2, startThread });
  t.equal(threads.length, 0);
  await passwords.hash('one');
  t.equal(threads.length, 1);
  await Promise.all(['two', 'three', 'four', 'five'].map((password) => passwords.hash(password)));
  t.equal(threads.length, 2);
});

t.test('PASS13 a call beyond the bound of the queue is refused at once', async (t) => {
  const { passwords } = setUp(t, { threads: 1, maxQueue: 2 });
  const accepted = [passwords.hash('one'), passwords.hash('two'), passwords.verify(null, 'three')];
  await t.rejects(passwords.hash('four'), { code: 'unavailable', retryAfter: 1 });
  await t.rejects(passwords.verify(null, 'four'), { code: 'unavailable', retryAfter: 1 });
  await Promise.all(accepted);
  t.equal(passwords.queued, 0);
  t.ok(await passwords.hash('four'), 'there is room again');
});

t.test('PASS13 a thread that dies fails its own call and is replaced', async (t) => {
  const { startThread, threads } = recordTasks((worker, task) => {
    if (task.password !== 'deadly') return 'deliver';
    void worker.terminate();
    return 'drop';
  });
  const { passwords, reported } = setUp(t, { threads: 1, startThread });
  const deadly = codeOf(passwords.hash('deadly'));
  const harmless = passwords.hash('harmless');
  t.equal(await deadly, 'internal');
  t.ok((await harmless).startsWith(PARAMETERS), 'the replacement does the waiting work');
  t.equal(threads.length, 2);
  t.match(reported, [{ message: 'A password thread died' }]);
});

t.test('PASS13 if threads cannot start, every call fails instead of waiting', async (t) => {
  let started = 0;
  const startThread = (): Worker => {
    started += 1;
    return new Worker('throw new Error("no Argon2 on this machine")', { eval: true });
  };
  const { passwords, reported } = setUp(t, { threads: 2, startThread });
  const calls = ['one', 'two', 'three'].map((password) => codeOf(passwords.hash(password)));
  t.same(await Promise.all(calls), ['internal', 'internal', 'internal']);
  t.equal(started, 3, 'one attempt for each call');
  t.match(reported[0]?.cause, { message: 'no Argon2 on this machine' });
});

t.test('closing finishes running work and refuses the rest', async (t) => {
  let markTaken: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => (markTaken = resolve));
  const { startThread } = recordTasks(() => {
    markTaken();
    return 'deliver';
  });
  const { passwords, reported } = setUp(t, { threads: 1, startThread });
  const running = passwords.hash('running');
  const waiting = codeOf(passwords.hash('waiting'));
  await taken;
  t.equal(passwords.queued, 1);
  const closed = passwords.close();
  t.equal(await waiting, 'unavailable');
  t.ok((await running).startsWith(PARAMETERS));
  await closed;
  t.equal(await codeOf(passwords.hash('late')), 'unavailable');
  t.same(reported, [], 'an orderly end is no error');
});

t.test('closing ends at once if nothing was started', async (t) => {
  const { startThread, threads } = recordTasks();
  await createPasswords({ startThread }).close();
  t.equal(threads.length, 0);
});

const linuxOnly = { skip: process.platform !== 'linux' && 'only Linux has a priority for each thread' };

t.test('PASS12 hashing threads have a lower priority than the rest of the service', linuxOnly, async (t) => {
  const { passwords } = setUp(t, { threads: 1 });
  const before = niceValues();
  await passwords.hash('anything');
  const lowered = niceValues().filter((nice) => nice === 10).length - before.filter((nice) => nice === 10).length;
  t.equal(lowered, 1, 'exactly the one thread has a lower priority');
});

const nice = await lookFor('nice');
t.test('a thread that starts with a lower priority keeps it, without a warning', { skip: linuxOnly.skip || skipWithout(nice) }, async (t) => {
  const passwords = new URL('../../src/auth/passwords.js', import.meta.url).href;
  const script = `import('${passwords}').then(async ({ createPasswords }) => {
    const passwords = createPasswords({ threads: 1 });
    await passwords.hash('anything');
    const { readdirSync, readFileSync } = require('node:fs');
    const nice = (id) => readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ').at(-1).split(' ')[16];
    console.log(Math.min(...readdirSync('/proc/self/task').map(nice)));
    await passwords.close();
  })`;
  const run = promisify(execFile);
  const { stdout, stderr } = await run(pathOf(nice), ['-n', '15', process.execPath, '-e', script]);
  // `nice` adds to the priority of these tests, which may have been started with it themselves.
  const expected = Math.min(getPriority() + 15, constants.priority.PRIORITY_LOW);
  t.equal(stdout.trim(), String(expected), 'no thread has a higher one');
  t.equal(stderr, '');
});

/** Of every thread of this process: field 19 of its stat line, counted after the name in parentheses. */
function niceValues(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}
