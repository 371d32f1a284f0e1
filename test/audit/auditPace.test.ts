import t from 'tap';
import { AuditPace } from '../../src/audit/auditPace.js';
import type { AuditEvent, AuditKind } from '../../src/domain/audit.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function failureFrom(address: string, kind: AuditKind = 'login.failed'): AuditEvent {
  return { kind, user: null, client: { address: () => address, userAgent: 'x' } };
}

function changeBy(id: string, is_superuser = false, kind: AuditKind = 'member.added'): AuditEvent {
  return { kind, user: { id, username: id, is_superuser }, client: { address: () => '192.0.2.1', userAgent: 'x' } };
}

function admitted(pace: AuditPace, count: number, event: AuditEvent, now = 0): number {
  return Array.from({ length: count }, () => pace.admits(event, now)).filter(Boolean).length;
}

t.test('AUDIT8 a network has five entries a minute, and then a count', async (t) => {
  const pace = new AuditPace();
  t.equal(admitted(pace, 20, failureFrom('192.0.2.1')), 5);
  t.equal(admitted(pace, 3, failureFrom('2001:db8::1')), 3);
  t.equal(admitted(pace, 3, failureFrom('2001:db8::2')), 2, 'an IPv6 network counts as one');
  t.strictSame(pace.takeSummaries(MINUTE - 1), []);
  const summaries = pace.takeSummaries(MINUTE);
  t.match(summaries, [{ kind: 'login.failed', user: null, details: { more: 15 } }, { details: { more: 1 } }]);
  t.strictSame(summaries.map(({ client }) => client?.address()), ['192.0.2.1', '2001:db8::2']);
  t.strictSame(pace.takeSummaries(2 * MINUTE), [], 'once');
  t.equal(admitted(pace, 20, failureFrom('192.0.2.1'), MINUTE), 5, 'the next minute begins anew');
});

t.test('AUDIT8 all users together have a limit too, superusers not', async (t) => {
  const pace = new AuditPace({ perUser: 10, perHour: 25 });
  t.strictSame(['ann', 'ben', 'cat', 'dan'].map((id) => admitted(pace, 12, changeBy(id))), [10, 10, 5, 0]);
  t.equal(admitted(pace, 100, changeBy('root', true)), 100);
  const counted = pace.takeSummaries(HOUR).reduce((sum, { details }) => sum + Number(details?.['more']), 0);
  t.equal(counted, 4 * 12 - 25, 'every entry that was left out is counted');
  t.equal(admitted(pace, 12, changeBy('ann'), HOUR), 10, 'the next hour begins anew');
});

t.test('AUDIT8 all networks together have sixty entries a minute, and at most ten counts and one for the rest', async (t) => {
  const pace = new AuditPace();
  let count = 0;
  for (let network = 0; network < 1_000; network += 1) count += admitted(pace, 7, failureFrom(`10.0.${network >> 8}.${network & 255}`));
  t.equal(count, 60);
  const summaries = pace.takeSummaries(MINUTE);
  t.equal(summaries.length, 11);
  const counted = summaries.reduce((sum, { details }) => sum + Number(details?.['more']), 0);
  t.equal(counted, 7_000 - 60, 'nothing is lost');
});

t.test('AUDIT8 an account that is only named has no entries of its own', async (t) => {
  const pace = new AuditPace();
  const named: AuditEvent = { ...failureFrom('192.0.2.1'), user: { id: 'admin', username: 'admin', is_superuser: true } };
  t.equal(admitted(pace, 20, named), 5);
  t.match(pace.takeSummaries(MINUTE), [{ user: null, details: { more: 15 } }]);
});

t.test('AUDIT8 a user has two hundred entries an hour, a superuser and the operator as many as they cause', async (t) => {
  const pace = new AuditPace();
  t.equal(admitted(pace, 250, changeBy('ann')), 200);
  t.equal(admitted(pace, 5, changeBy('ann', false, 'login')), 0);
  t.equal(admitted(pace, 10, changeBy('ben')), 10, 'others are not affected');
  t.equal(admitted(pace, 500, changeBy('admin', true)), 500);
  t.equal(admitted(pace, 500, { kind: 'service.started', user: null }), 500);
  t.strictSame(pace.takeSummaries(HOUR - 1), []);
  t.match(pace.takeSummaries(HOUR), [
    { kind: 'member.added', user: { id: 'ann' }, details: { more: 50 } },
    { kind: 'login', user: { id: 'ann' }, details: { more: 5 } },
  ]);
});

t.test('AUDIT8 memory is bounded, and a stop leaves no count behind', async (t) => {
  const pace = new AuditPace({ perUser: 1, perHour: 100_000 });
  for (let user = 0; user < 10_000; user += 1) pace.admits(changeBy(`user ${user}`), 0);
  t.equal(admitted(pace, 3, changeBy('one more')), 1);
  t.equal(admitted(pace, 3, changeBy('and another')), 0, 'they share a window');
  t.match(pace.takeSummaries(1, true), [{ details: { more: 5 } }]);
  t.strictSame(pace.takeSummaries(HOUR, true), []);
});
