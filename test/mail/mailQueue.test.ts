import t, { type Test } from 'tap';
import { MailQueue, type MailQueueOptions } from '../../src/mail/mailQueue.js';
import type { PreparedMail } from '../../src/domain/ports/mail.js';
import { logLines } from '../support/service/logLines.js';
import { until } from '../support/until.js';

const MAIL: PreparedMail = { to: 'ann@example.org', language: null, content: { kind: 'password', username: 'ann' } };
const BUSY = Object.assign(new Error('busy'), { code: 'EMESSAGE', responseCode: 451, response: '451 busy' });
const UNKNOWN = Object.assign(new Error('unknown'), { code: 'EENVELOPE', responseCode: 550, response: '550 <ann@example.org> unknown' });

const prepared = async (): Promise<PreparedMail> => MAIL;

/** A queue that is closed with the test. `deliver` gets the number of the attempt. */
function start(t: Test, deliver: (attempt: number) => Promise<void>, options: Partial<MailQueueOptions> = {}) {
  let attempts = 0;
  const { log, lines } = logLines();
  const queue = new MailQueue({ deliver: () => deliver((attempts += 1)), hangUp: () => undefined, log, firstRetryMs: 1, drainMs: 1_000, ...options });
  t.teardown(() => queue.close());
  return { queue, lines, attempts: () => attempts };
}

t.test('MAIL16 a mail is tried again while the server is away, and prepared anew each time', async (t) => {
  const { queue, lines } = start(t, async (attempt) => {
    if (attempt === 1) throw new Error('connect ECONNREFUSED');
    if (attempt < 5) throw BUSY;
  });
  let preparations = 0;
  queue.post('password', async () => {
    preparations += 1;
    return MAIL;
  });
  await until(() => queue.stats.sent === 1);
  t.equal(preparations, 5);
  t.strictSame(queue.stats, { sent: 1, failed: 0, dropped: 0, waiting: 0 });
  t.match(
    lines().filter(({ level }) => Number(level) >= 40),
    [{ msg: 'a mail could not be sent; it is tried again', reason: 'connect ECONNREFUSED' }],
  );
});

t.test('MAIL16 a failed preparation is tried again, and one without a result sends nothing', async (t) => {
  const { queue, attempts } = start(t, async () => undefined);
  let isAway = true;
  queue.post('reset', async () => {
    if (!isAway) return null;
    isAway = false;
    throw new Error('the directory is away');
  });
  await until(() => !isAway && queue.stats.waiting === 0);
  t.equal(attempts(), 0);
  t.strictSame(queue.stats, { sent: 0, failed: 0, dropped: 0, waiting: 0 });
});

t.test('MAIL16 a mail that is refused for good, or is too old, is given up', async (t) => {
  const { queue, attempts, lines } = start(t, async () => Promise.reject(UNKNOWN));
  queue.post('password', prepared);
  await until(() => queue.stats.failed === 1);
  t.equal(attempts(), 1);
  t.strictSame(queue.stats, { sent: 0, failed: 1, dropped: 0, waiting: 0 });
  t.match(lines(), [{ msg: 'a mail could not be sent', mail: 'password', code: 'EENVELOPE', status: 550 }]);
  t.notMatch(JSON.stringify(lines()), 'ann@example.org');
  let now = 0;
  const old = start(
    t,
    async (attempt) => {
      now = attempt * 1_500_000;
      throw BUSY;
    },
    { now: () => now },
  );
  old.queue.post('password', prepared);
  await until(() => old.queue.stats.failed === 1);
  t.equal(old.attempts(), 3, 'after an hour');
});

t.test('MAIL18 a bounded number of mails waits, and mails that wait for their retry keep no other from being sent', async (t) => {
  const refused = new Set<string>();
  const { queue, lines } = start(t, async () => undefined, {
    maxWaiting: 10,
    firstRetryMs: 60_000,
    deliver: async ({ to }) => {
      if (to === 'good@example.org') return;
      refused.add(to);
      throw BUSY;
    },
  });
  for (let count = 1; count <= 9; count += 1) queue.post('password', async () => ({ ...MAIL, to: `bad-${count}@example.org` }));
  await until(() => refused.size === 9);
  t.equal(queue.hasRoom('password'), true);
  queue.post('password', async () => ({ ...MAIL, to: 'good@example.org' }));
  await until(() => queue.stats.sent === 1);
  queue.post('password', async () => ({ ...MAIL, to: 'bad-10@example.org' }));
  await until(() => refused.size === 10);
  t.equal(queue.hasRoom('password'), false);
  for (let count = 1; count <= 5; count += 1) queue.post('password', prepared);
  t.strictSame(queue.stats, { sent: 1, failed: 0, dropped: 6, waiting: 10 });
  t.equal(lines().filter(({ msg }) => String(msg).startsWith('too many mails of this kind are waiting')).length, 1, 'and is logged once');
});

t.test('MAIL18 mails of one kind that cannot be delivered keep those of another kind from nothing', async (t) => {
  const sent: string[] = [];
  const { queue } = start(t, async () => undefined, {
    maxWaiting: 10,
    firstRetryMs: 60_000,
    deliver: async ({ to }) => {
      if (to === 'bad@example.org') throw BUSY;
      sent.push(to);
    },
  });
  for (let count = 1; count <= 20; count += 1) queue.post('invitation', async () => ({ ...MAIL, to: 'bad@example.org' }));
  t.equal(queue.hasRoom('invitation'), false, 'the places of invitations are taken');
  t.equal(queue.hasRoom('reset'), true);
  queue.post('reset', prepared);
  await until(() => sent.length === 1);
  t.match(queue.stats, { sent: 1, waiting: 10 });

  const order: string[] = [];
  const busy = start(t, async () => undefined, { deliver: async ({ to }) => void order.push(to) }).queue;
  for (let count = 1; count <= 9; count += 1) busy.post('invitation', async () => ({ ...MAIL, to: 'invited@example.org' }));
  busy.post('reset', prepared);
  await until(() => order.length === 10);
  t.ok(order.indexOf(MAIL.to) <= 5, 'and kinds take turns');
});

t.test('MAIL16 a stop tries what waits once more', async (t) => {
  let isAway = true;
  const { queue, attempts } = start(t, async () => (isAway ? Promise.reject(BUSY) : undefined), { firstRetryMs: 60_000 });
  for (let count = 0; count < 10; count += 1) queue.post('password', prepared);
  await until(() => attempts() === 10);
  isAway = false;
  await queue.close();
  t.strictSame(queue.stats, { sent: 10, failed: 0, dropped: 0, waiting: 0 });
  queue.post('password', prepared);
  t.match(queue.stats, { dropped: 1, waiting: 0 }, 'and takes nothing more');
});

t.test('MAIL16 a stop does not wait for a silent server, and logs what is lost', async (t) => {
  let hungUp = 0;
  let reject = (_error: Error): void => undefined;
  const { queue, lines } = start(t, () => new Promise<void>((_resolve, fail) => (reject = fail)), {
    drainMs: 20,
    hangUp: () => {
      hungUp += 1;
      reject(new Error('closed'));
    },
  });
  for (let count = 0; count < 6; count += 1) queue.post('reset', prepared);
  await queue.close();
  t.equal(hungUp, 1);
  t.strictSame(queue.stats, { sent: 0, failed: 0, dropped: 6, waiting: 0 });
  t.match(lines(), [{ msg: 'the service stopped before these mails were sent', mails: Array<string>(6).fill('reset') }]);
  await queue.close();
});
