import { randomUUID } from 'node:crypto';
import t from 'tap';
import { RefreshLimits } from '../../src/auth/guessing/refreshLimits.js';
import { AppError } from '../../src/domain/errors.js';

const MINUTE_MS = 60_000;

function start() {
  const clock = { now: 1_000 };
  return { clock, limits: new RefreshLimits(() => clock.now) };
}

/** Seconds to wait; 0 if it was admitted. */
function waitOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many') return error.retryAfter ?? 0;
    throw error;
  }
}

function admitted(count: number, work: (index: number) => void): number {
  return Array.from({ length: count }, (_, index) => waitOf(() => work(index))).filter((wait) => wait === 0).length;
}

t.test('SESS23 a session has a burst and a rate, and refused refreshes do not count', async (t) => {
  const { clock, limits } = start();
  const [session, other] = [randomUUID(), randomUUID()];
  t.equal(
    admitted(100, () => limits.take(session, '192.0.2.1')),
    30,
  );
  t.equal(
    waitOf(() => limits.take(session, '192.0.2.2')),
    2,
    'from anywhere',
  );
  t.equal(
    waitOf(() => limits.take(other, '192.0.2.1')),
    0,
    'no other session',
  );
  clock.now += 2_000;
  t.equal(
    admitted(5, () => limits.take(session, '192.0.2.1')),
    1,
  );
  clock.now += MINUTE_MS;
  t.equal(
    admitted(100, () => limits.take(session, '192.0.2.1')),
    30,
  );
});

t.test('SESS23 the sessions of a user share a limit, and so do those of a network', async (t) => {
  const { clock, limits } = start();
  const ann = randomUUID();
  const refresh = (session: string, user: string, address: string): void => {
    limits.take(session, address);
    limits.noteOwner(session, user);
  };
  const sessions = Array.from({ length: 10 }, () => randomUUID());
  t.equal(
    admitted(300, (index) => refresh(sessions[index % 10] ?? '', ann, '192.0.2.1')),
    120,
  );
  t.equal(
    waitOf(() => refresh(randomUUID(), randomUUID(), '192.0.2.1')),
    0,
    'other users from there',
  );
  clock.now += MINUTE_MS;
  t.equal(
    admitted(300, (index) => refresh(sessions[index % 10] ?? '', ann, '192.0.2.1')),
    120,
  );
  t.equal(
    admitted(3_000, () => refresh(randomUUID(), randomUUID(), '2001:db8::1')),
    1_200,
  );
  t.equal(
    waitOf(() => refresh(randomUUID(), randomUUID(), '2001:db8::2')),
    1,
    'the same network',
  );
  t.equal(
    waitOf(() => refresh(randomUUID(), randomUUID(), '192.0.2.3')),
    0,
  );
});

t.test('SESS25 forged tokens are limited for a network, and do not limit issued ones', async (t) => {
  const { clock, limits } = start();
  t.equal(
    admitted(100, () => limits.noteForgery('192.0.2.1')),
    60,
  );
  t.equal(
    waitOf(() => limits.noteForgery('192.0.2.1')),
    60,
  );
  t.equal(
    waitOf(() => limits.take(randomUUID(), '192.0.2.1')),
    0,
  );
  t.equal(
    waitOf(() => limits.noteForgery('192.0.2.2')),
    0,
  );
  clock.now += MINUTE_MS;
  t.equal(
    admitted(100, () => limits.noteForgery('192.0.2.1')),
    60,
  );
});

t.test('LIMIT6 the least recently refreshed session is forgotten, beyond fifty thousand', async (t) => {
  const { limits } = start();
  const [first, last] = [randomUUID(), randomUUID()];
  const drain = (session: string): number => admitted(100, () => limits.take(session, '192.0.2.1'));
  t.equal(drain(first), 30);
  for (let count = 0; count < 49_999; count += 1) limits.take(`session ${count}`, `198.51.${count >> 8}.${count & 255}`);
  t.equal(drain(first), 0, 'still known');
  limits.take(last, '192.0.2.2');
  t.equal(drain(first), 30, 'now forgotten');
});
