import t from 'tap';
import { MailLimits } from '../../src/mail/mailLimits.js';

const MINUTE = 60_000;

t.test('MAIL7 each kind of mail has its limits for an address and for the one who causes it', async (t) => {
  let now = 0;
  const limits = new MailLimits(() => now);
  t.equal(limits.take('reset', 'ann@example.org', '192.0.2.1'), null);
  t.strictSame(limits.take('reset', 'ANN@example.org', '192.0.2.2'), { by: 'address', retryAfter: 300 }, 'from any network, in any spelling');
  t.strictSame(limits.take('reset', '\u0041nn@example.org', null), { by: 'address', retryAfter: 300 });
  t.equal(limits.take('password', 'ann@example.org', null), null, 'another kind');
  t.equal(limits.take('reset', 'ben@example.org', '192.0.2.1'), null, 'another address');
  now += 5 * MINUTE;
  t.equal(limits.take('reset', 'ann@example.org', '192.0.2.1'), null);
  for (let sent = 0; sent < 4; sent += 1) {
    t.equal(limits.take('verification', 'ann@example.org', null), null);
    now += 5 * MINUTE;
  }
  t.equal(limits.take('verification', 'ann@example.org', null), null, 'the fifth of the day');
  now += 5 * MINUTE;
  t.match(limits.take('verification', 'ann@example.org', null), { by: 'address' }, 'not a sixth');
  for (let count = 0; count < 50; count += 1) t.equal(limits.take('verification', `stranger-${count}@example.org`, '192.0.2.1'), null);
  t.match(limits.take('verification', 'stranger@example.org', '192.0.2.1'), { by: 'source' }, 'registrations do not mail to all the world');
});

t.test('MAIL7 a refused mail counts for nobody, and superusers invite any number', async (t) => {
  const limits = new MailLimits(() => 0);
  for (let count = 0; count < 20; count += 1) t.equal(limits.take('reset', `user-${count}@example.org`, 'a network'), null);
  t.match(limits.take('reset', 'victim@example.org', 'a network'), { by: 'source', retryAfter: 600 });
  t.equal(limits.take('reset', 'victim@example.org', 'another network'), null, 'the refused one did not use the address up');
  for (let count = 0; count < 5; count += 1) t.match(limits.take('reset', 'victim@example.org', 'a third network'), { by: 'address' });
  for (let count = 0; count < 20; count += 1) t.equal(limits.take('reset', `other-${count}@example.org`, 'a third network'), null);
  for (let count = 0; count < 100; count += 1) t.equal(limits.take('invitation', `guest-${count}@example.org`, 'ann'), null);
  t.match(limits.take('invitation', 'guest@example.org', 'ann'), { by: 'source' });
  t.equal(limits.take('invitation', 'guest@example.org', null), null);
});
