import t from 'tap';
import { SsoGate } from '../../../src/auth/sso/ssoGate.js';
import { rejectionOf } from '../../support/rejection.js';

const pend = () => new Promise<never>(() => undefined);

t.test('SSO14 a network has sixteen exchanges under way, and all together sixty-four', async (t) => {
  const gate = new SsoGate();
  let finish = (): void => undefined;
  const first = gate.run('192.0.2.1', () => new Promise<void>((resolve) => (finish = resolve)));
  for (let count = 2; count <= 16; count += 1) void gate.run('192.0.2.1', pend);
  t.match(await rejectionOf(gate.run('192.0.2.1', pend)), { code: 'too_many', retryAfter: 2 });
  void gate.run('192.0.2.2', pend);
  finish();
  await first;
  void gate.run('192.0.2.1', pend);
  for (let count = 17; count < 64; count += 1) void gate.run(`198.51.100.${count}`, pend);
  t.match(await rejectionOf(gate.run('203.0.113.1', pend)), { code: 'too_many' });
});

t.test('SSO14 failures of a network count for a minute, an IPv6 network as one, and nothing else counts', async (t) => {
  const clock = { now: 0 };
  const gate = new SsoGate(() => clock.now);
  for (let count = 0; count < 50; count += 1) await gate.run('2001:db8::1', async () => undefined);
  for (let count = 0; count < 10; count += 1) {
    gate.check('2001:db8::1');
    gate.noteFailure(`2001:db8::${count}`);
  }
  t.match(
    t.throws(() => gate.check('2001:db8::ffff')),
    { code: 'too_many', retryAfter: 60 },
  );
  t.match(await rejectionOf(gate.run('2001:db8::1', async () => t.fail('it must not run'))), { code: 'too_many' });
  gate.check('2001:db8:0:1::1');
  clock.now = 60_000;
  gate.check('2001:db8::1');
});
