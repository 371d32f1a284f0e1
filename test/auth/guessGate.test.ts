import t from 'tap';
import { createGuessGate, type GuessGate, type GuessGateOptions } from '../../src/auth/guessing/guessGate.js';
import { AppError } from '../../src/domain/errors.js';

const VICTIM = 'ann';
const HOME = '192.0.2.1';
const NEWCOMER_WAIT_MS = 200;

/** A gate with a manual clock. */
function setUp(options: Partial<GuessGateOptions> = {}) {
  const clock = new FakeClock();
  const gate = createGuessGate({ limit: 10, windowSeconds: 60, now: () => clock.ms, schedule: clock.schedule, ...options });
  return { clock, gate };
}

class FakeClock {
  ms = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  readonly schedule = (milliseconds: number, callback: () => void): (() => void) => {
    const timer = { at: this.ms + milliseconds, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** Runs each due timer at its time, with all its consequences before the next one. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.ms + milliseconds;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.ms = next.at;
      next.callback();
      await settled();
    }
    this.ms = end;
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise(setImmediate);
}

function guesser(number: number): string {
  return `198.51.${Math.floor(number / 250)}.${number % 250}`;
}

/** One wrong guess, which takes no time once admitted. */
async function guess(gate: GuessGate, address: string, counts: { checked: number; refused: number }): Promise<void> {
  try {
    await gate.enter(VICTIM, address);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many') throw error;
    counts.refused += 1;
    return;
  }
  counts.checked += 1;
  gate.leave(VICTIM, address, 'failed');
}

async function attack(gate: GuessGate, failures = 10): Promise<void> {
  for (let count = 0; count < failures; count += 1) {
    await gate.enter(VICTIM, guesser(count));
    gate.leave(VICTIM, guesser(count), 'failed');
  }
}

/** The state of a promise at any time. */
function watch(promise: Promise<void>): { state: 'waiting' | 'in' | 'refused'; error: unknown } {
  const watched: { state: 'waiting' | 'in' | 'refused'; error: unknown } = { state: 'waiting', error: null };
  promise.then(
    () => (watched.state = 'in'),
    (error: unknown) => Object.assign(watched, { state: 'refused', error }),
  );
  return watched;
}

t.test('LIMIT10 two checks of an account run at a time', async (t) => {
  const { gate } = setUp();
  const checks = Array.from({ length: 5 }, () => watch(gate.enter(VICTIM, HOME)));
  const others = watch(gate.enter('bob', HOME));
  await settled();
  t.strictSame(
    checks.map(({ state }) => state),
    ['in', 'in', 'waiting', 'waiting', 'waiting'],
  );
  t.equal(others.state, 'in', 'each account has its own');
  gate.leave(VICTIM, HOME, 'failed');
  await settled();
  t.equal(checks[2]?.state, 'in');
});

t.test('LIMIT10 a waiting attempt continues as soon as another result decides it', async (t) => {
  const { clock, gate } = setUp();
  const checks = Array.from({ length: 100 }, () => watch(gate.enter(VICTIM, HOME)));
  const stranger = watch(gate.enter(VICTIM, guesser(1)));
  await settled();
  gate.release(VICTIM, HOME);
  gate.leave(VICTIM, HOME, 'succeeded');
  await settled();
  t.ok(checks.every(({ state }) => state === 'in'));
  t.equal(stranger.state, 'waiting');
  for (const _check of checks.slice(1)) gate.leave(VICTIM, HOME, 'succeeded');
  await settled();
  t.equal(stranger.state, 'in');
  gate.leave(VICTIM, guesser(1), 'failed');
  t.strictSame([gate.waiting, clock.timers], [0, 0], 'nothing is left');
});

t.test('AUTH19 after ten failures new networks are admitted every 200 ms and known ones every three seconds', async (t) => {
  const { clock, gate } = setUp();
  const counts = { checked: 0, refused: 0 };
  await attack(gate);
  const starts: number[] = [];
  for (let number = 0; number < 3; number += 1) void guess(gate, guesser(number), counts).then(() => starts.push(clock.ms));
  for (let number = 20; number < 23; number += 1) void guess(gate, guesser(number), counts).then(() => starts.push(clock.ms));
  await clock.pass(9_000);
  t.strictSame(starts, [0, 0, 200, 400, 3000, 6000]);
  t.equal(counts.refused, 0);
});

t.test('AUTH19 an hour of guesses is one for each network and 1,200 more', async (t) => {
  const { clock, gate } = setUp();
  const counts = { checked: 0, refused: 0 };
  const networks = 200;
  for (let second = 0; second < 3600; second += 10) {
    for (let number = 0; number < networks; number += 1) void guess(gate, guesser(number), counts);
    await clock.pass(10_000);
  }
  // The first ten, and two that were running with them, are not slowed down yet.
  t.ok(counts.checked <= networks + 1200 + 12, `${counts.checked} were checked`);
  t.ok(counts.checked >= 1200, 'there was always one waiting', counts);
  t.ok(gate.waiting <= 100, 'few attempts wait');
});

t.test('AUTH19 the first attempt of a network is admitted at once while a thousand networks guess', async (t) => {
  const { clock, gate } = setUp();
  const counts = { checked: 0, refused: 0 };
  for (let second = 0; second < 20; second += 1) {
    for (let number = 0; number < 1000; number += 1) void guess(gate, guesser(number), counts);
    await clock.pass(1_000);
  }
  const login = watch(gate.enter(VICTIM, HOME));
  await clock.pass(NEWCOMER_WAIT_MS);
  t.equal(login.state, 'in');
  t.ok(counts.refused > 10_000, 'most of the guesses were refused unchecked', counts);
});

t.test('AUTH19 a network refused in the first rush is admitted soon, before those that try more often', async (t) => {
  const { clock, gate } = setUp();
  const counts = { checked: 0, refused: 0 };
  let state = 'refused';
  let waited = 0;
  for (; state === 'refused' && waited < 20_000;) {
    for (let number = 0; number < 500; number += 1) void guess(gate, guesser(number), counts);
    const login = watch(gate.enter(VICTIM, HOME));
    for (let number = 500; number < 1000; number += 1) void guess(gate, guesser(number), counts);
    await clock.pass(500);
    waited += 500;
    // Like a client that obeys Retry-After; the guessers do not.
    for (let wait = 0; wait < 10_000 && login.state !== 'in'; wait += 500) {
      for (let number = 0; number < 1000; number += 1) void guess(gate, guesser(number), counts);
      await clock.pass(500);
      waited += 500;
      if (login.state === 'refused' && wait >= 3_000) break;
    }
    state = login.state;
  }
  t.equal(state, 'in');
  t.ok(waited <= 10_000, `after ${waited} ms`);
});

t.test('AUTH19 the assignment of an IPv6 provider counts as one network', async (t) => {
  const { clock, gate } = setUp();
  await attack(gate);
  const counts = { checked: 0, refused: 0 };
  for (let number = 0; number < 50; number += 1) void guess(gate, `2001:db8:1:${number.toString(16)}::1`, counts);
  await clock.pass(2_000);
  t.equal(counts.checked, 2, 'one as a new network, one as a known one');
});

t.test('LIMIT10 an attempt that waits ten seconds is refused, and at most a hundred wait for an account', async (t) => {
  const { clock, gate } = setUp({ maxWaitingPerAccount: 3 });
  const running = [watch(gate.enter(VICTIM, guesser(1))), watch(gate.enter(VICTIM, guesser(2)))];
  await settled();
  const repeat = watch(gate.enter(VICTIM, guesser(1)));
  const fresh = [3, 4, 5].map((number) => watch(gate.enter(VICTIM, guesser(number))));
  await settled();
  t.match(repeat, { state: 'refused', error: { code: 'too_many', retryAfter: 3 } }, 'the account with the most attempts makes room');
  t.strictSame(
    fresh.map(({ state }) => state),
    ['waiting', 'waiting', 'waiting'],
  );
  await clock.pass(10_000);
  t.ok(fresh.every(({ state }) => state === 'refused'));
  t.strictSame([gate.waiting, clock.timers], [0, 0]);
  t.ok(running.every(({ state }) => state === 'in'));
});

t.test('LIMIT10 if too many attempts wait in total, the account with the most makes room', async (t) => {
  const { gate } = setUp({ maxWaiting: 4 });
  const flood = Array.from({ length: 6 }, (_, number) => watch(gate.enter('bob', guesser(number))));
  for (let count = 0; count < 2; count += 1) await gate.enter(VICTIM, HOME);
  const login = watch(gate.enter(VICTIM, HOME));
  await settled();
  t.equal(gate.waiting, 4);
  t.equal(login.state, 'waiting');
  t.equal(flood.filter(({ state }) => state === 'refused').length, 1);
});

t.test('LIMIT10 a closed gate refuses all waiting and later attempts', async (t) => {
  const { clock, gate } = setUp();
  const checks = Array.from({ length: 4 }, () => watch(gate.enter(VICTIM, HOME)));
  gate.close();
  await settled();
  t.strictSame(
    checks.map(({ state }) => state),
    ['in', 'in', 'refused', 'refused'],
  );
  await t.rejects(gate.enter('bob', HOME), { code: 'unavailable' });
  t.equal(clock.timers, 0);
});
