import t from 'tap';
import { createLoginLimiter } from '../../src/auth/guessing/loginLimiter.js';
import type { LoginLimiter } from '../../src/auth/guessing/loginLimiter.js';

const HOME = '192.0.2.1';

/** Ten failures a minute, with a manual clock. */
function setUp(options: { maxKeys?: number } = {}) {
  const clock = { seconds: 0 };
  const limiter = createLoginLimiter({ limit: 10, windowSeconds: 60, now: () => clock.seconds * 1000, ...options });
  return { clock, limiter };
}

/** Guesses from one address, each at another account. */
function failEverywhere(limiter: LoginLimiter, address: string, times = 10): void {
  for (let count = 0; count < times; count += 1) limiter.settle(`victim ${count} of ${address}`, address, 'failed');
}

/** The account is then known at the address and counted separately. */
function logInOnce(limiter: LoginLimiter, account: string, address = HOME): void {
  limiter.settle(account, address, 'succeeded');
}

function failAt(limiter: LoginLimiter, account: string, times = 10, address = HOME): void {
  for (let count = 0; count < times; count += 1) limiter.settle(account, address, 'failed');
}

t.test('LIMIT2 after ten failures at an account even an address that logged in there must wait for it', async (t) => {
  const { limiter } = setUp();
  logInOnce(limiter, 'ann@example.org');
  failAt(limiter, 'ann@example.org', 9);
  t.equal(limiter.check('ann@example.org', HOME), 0);
  failAt(limiter, 'ann@example.org', 1);
  t.equal(limiter.check('ann@example.org', HOME), 60);
  t.equal(limiter.check('ann@example.org', '192.0.2.2'), 0, 'other addresses need not wait');
});

t.test('LIMIT2 failures at an account from other addresses do not count', async (t) => {
  const { limiter } = setUp();
  for (let count = 0; count < 1000; count += 1) limiter.settle('ann', `198.51.100.${count}`, 'failed');
  t.equal(limiter.check('ann', HOME), 0);
});

t.test('LIMIT2 the spelling of an account makes no difference', async (t) => {
  const { limiter } = setUp();
  logInOnce(limiter, 'ann@example.org');
  failAt(limiter, 'Ann@Example.org', 5);
  failAt(limiter, ' ann@example.ORG ', 5);
  t.equal(limiter.check('ann@example.org', HOME), 60);
});

t.test('LIMIT2 after ten failures an address must wait for every account', async (t) => {
  const { limiter } = setUp();
  failEverywhere(limiter, HOME, 9);
  t.equal(limiter.check('ann@example.org', HOME), 0);
  failEverywhere(limiter, HOME, 1);
  t.equal(limiter.check('ann@example.org', HOME), 60);
  t.equal(limiter.check('ann@example.org', '192.0.2.2'), 0, 'others need not wait');
});

t.test('LIMIT2 an account that logged in from the address within a week is exempt', async (t) => {
  const { clock, limiter } = setUp();
  logInOnce(limiter, 'ann');
  failEverywhere(limiter, HOME);
  t.equal(limiter.check('bob', HOME), 60);
  t.equal(limiter.check('ann', HOME), 0);
  clock.seconds = 7 * 86_400;
  failEverywhere(limiter, HOME);
  t.equal(limiter.check('ann', HOME), 60, 'a week later the account is unknown again');
});

t.test('LIMIT2 an IPv6 address counts as its /64, a mapped IPv4 address as itself', async (t) => {
  const sameNetwork: [string, string][] = [
    ['2001:db8:0:1::1', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff'],
    ['::1', '0:0:0:0::2'],
    ['fe80::1%eth0', 'FE80::2'],
    ['::ffff:192.0.2.1', HOME],
    ['0000:0000:0000:0000:0000:ffff:c000:0201', HOME],
  ];
  for (const [one, other] of sameNetwork) {
    const { limiter } = setUp();
    failEverywhere(limiter, one);
    t.equal(limiter.check('ann', other), 60, `${one} and ${other}`);
  }
  const otherNetwork: [string, string][] = [
    ['2001:db8:0:1::1', '2001:db8:0:2::1'],
    ['2001:db8::1', '2002:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.2'],
    ['::ffff:192.0.2.1', '::1'],
  ];
  for (const [one, other] of otherNetwork) {
    const { limiter } = setUp();
    failEverywhere(limiter, one);
    t.equal(limiter.check('ann', other), 0, `${one} and ${other}`);
  }
});

t.test('LIMIT2 each failure expires one minute after it happened', async (t) => {
  const { clock, limiter } = setUp();
  for (let count = 0; count < 10; count += 1) {
    limiter.settle('ann', HOME, 'failed');
    clock.seconds += 5;
  }
  t.equal(limiter.check('ann', HOME), 10, 'the first was 50 seconds ago');
  clock.seconds = 59.5;
  t.equal(limiter.check('ann', HOME), 1, 'part of a second is a second');
  clock.seconds = 60;
  t.equal(limiter.check('ann', HOME), 0);
  limiter.settle('ann', HOME, 'failed');
  t.equal(limiter.check('ann', HOME), 5, 'until the second failure expires');
});

t.test('LIMIT2 a refused attempt does not prolong the wait', async (t) => {
  const { clock, limiter } = setUp();
  failAt(limiter, 'ann');
  clock.seconds = 30;
  t.equal(limiter.settle('ann', HOME, 'failed'), 30);
  clock.seconds = 60;
  t.equal(limiter.check('ann', HOME), 0);
});

t.test('LIMIT2 successes never count, also many in parallel', async (t) => {
  const { limiter } = setUp();
  for (let count = 0; count < 100; count += 1) t.equal(limiter.check('ann', HOME), 0);
  for (let count = 0; count < 100; count += 1) t.equal(limiter.settle('ann', HOME, 'succeeded'), 0);
});

t.test('LIMIT2 a success clears its account at its address, but not the address', async (t) => {
  const { limiter } = setUp();
  failAt(limiter, 'ann', 9);
  logInOnce(limiter, 'ann');
  failAt(limiter, 'ann', 1);
  t.equal(limiter.check('ann', HOME), 0, 'the count of the account restarted at zero');
  logInOnce(limiter, 'mallory');
  t.equal(limiter.check('carol', HOME), 60, 'a success gives no further guesses');
});

t.test('LIMIT2 parallel guesses get as many answers as consecutive ones', async (t) => {
  const { limiter } = setUp();
  const guesses = Array.from({ length: 20 }, (_, index) => `account ${index}`);
  t.ok(
    guesses.every((account) => limiter.check(account, HOME) === 0),
    'all were admitted',
  );
  const waits = guesses.map((account) => limiter.settle(account, HOME, 'failed'));
  t.equal(waits.filter((wait) => wait === 0).length, 10);
  t.equal(limiter.settle('ann', HOME, 'succeeded'), 60, 'a correct guess that comes too late is refused too');
  t.equal(limiter.isKnown('ann', HOME), false, 'and does not count');
});

t.test('LIMIT6 new addresses evict each other, not a blocked one', async (t) => {
  const { limiter } = setUp({ maxKeys: 20 });
  failEverywhere(limiter, HOME);
  for (let count = 0; count < 1000; count += 1) limiter.settle(`made-up-${count}`, `198.51.100.${count}`, 'failed');
  t.equal(limiter.check('ann', HOME), 60);
});

t.test('LIMIT6 if every entry is blocked, the oldest is evicted', async (t) => {
  const { limiter } = setUp({ maxKeys: 2 });
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) failEverywhere(limiter, address);
  t.equal(limiter.check('ann', '192.0.2.1'), 0);
  t.equal(limiter.check('ann', '192.0.2.3'), 60);
});

t.test('LIMIT6 the address with the oldest last failure is evicted', async (t) => {
  const { limiter } = setUp({ maxKeys: 3 });
  for (const address of [HOME, '192.0.2.2', HOME, '192.0.2.3', '192.0.2.4']) failEverywhere(limiter, address, 1);
  failEverywhere(limiter, HOME, 8);
  t.equal(limiter.check('ann', HOME), 60, 'the second was evicted, although the first failed earlier');
});

t.test('LIMIT6 expired entries are evicted first', async (t) => {
  const { clock, limiter } = setUp({ maxKeys: 2 });
  failEverywhere(limiter, '192.0.2.2', 1);
  clock.seconds = 30;
  failEverywhere(limiter, HOME, 9);
  clock.seconds = 60;
  failEverywhere(limiter, '192.0.2.3', 1);
  failEverywhere(limiter, HOME, 1);
  t.equal(limiter.check('ann', HOME), 30, 'none of the ten was forgotten');
});

t.test('LIMIT6 of the known logins, the oldest are evicted first', async (t) => {
  const { limiter } = setUp({ maxKeys: 2 });
  for (const account of ['ann', 'bob', 'ann', 'carol']) logInOnce(limiter, account);
  t.strictSame(
    ['ann', 'bob', 'carol'].map((account) => limiter.isKnown(account, HOME)),
    [true, false, true],
  );
});

t.test('LIMIT6 a key of any length is shortened', async (t) => {
  const { limiter } = setUp();
  logInOnce(limiter, `${'a'.repeat(320)}${'b'.repeat(100_000)}`);
  t.ok(limiter.isKnown(`${'a'.repeat(320)}c`, HOME));
});
