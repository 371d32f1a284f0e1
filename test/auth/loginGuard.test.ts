import t from 'tap';
import { createGuessGate } from '../../src/auth/guessing/guessGate.js';
import { LoginGuard } from '../../src/auth/guessing/loginGuard.js';
import { createLoginLimiter } from '../../src/auth/guessing/loginLimiter.js';

t.test('TOTP3 whoever has reached the limit of wrong passwords does not learn that one was right and a code is missing', async (t) => {
  const limiter = createLoginLimiter({ limit: 10, windowSeconds: 60 });
  const gate = createGuessGate({ limit: 10, windowSeconds: 60 });
  const guard = new LoginGuard(limiter, gate);
  t.teardown(() => guard.close());
  await guard.attempt('ann', '192.0.2.1', async () => 'ann');
  let finish = (): void => undefined;
  const held = new Promise<void>((resolve) => (finish = resolve));
  const wrong = Array.from({ length: 12 }, () => guard.attempt('ann', '192.0.2.1', () => held.then(() => null)).catch((error: unknown) => error));
  const right = guard.attempt('ann', '192.0.2.1', async () => {
    await held;
    await Promise.all(wrong);
    throw new Error('a code is needed');
  });
  finish();
  await t.rejects(right, { code: 'too_many' });
});

t.test('TOTP3 below the limit the question for a code arrives', async (t) => {
  const guard = new LoginGuard(createLoginLimiter({ limit: 10, windowSeconds: 60 }), createGuessGate({ limit: 10, windowSeconds: 60 }));
  t.teardown(() => guard.close());
  await t.rejects(
    guard.attempt('ann', '192.0.2.1', () => Promise.reject(new Error('a code is needed'))),
    { message: 'a code is needed' },
  );
});
