import t from 'tap';
import { AuditPace } from '../../src/audit/auditPace.js';
import type { AuditEvent, AuditKind } from '../../src/domain/audit.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function failureFrom(address: string, kind: AuditKind = 'login.failed'): AuditEvent {
  return { kind, user: null, client: { address: () => address, userAgent: 'x' } };
}

function changeBy(id: string, is_superuser = false, kind: AuditKind = 'logout', address = '192.0.2.1'): AuditEvent {
  return { kind, user: { id, username: id, is_superuser }, client: { address: () => address, userAgent: 'x' } };
}

function failureOf(id: string, address: string, reason = 'password'): AuditEvent {
  return { ...changeBy(id, false, 'login.failed', address), details: { reason } };
}

function admitted(pace: AuditPace, count: number, event: AuditEvent, now = 0): number {
  return Array.from({ length: count }, () => pace.take(event, now).fate).filter((fate) => fate === 'kept').length;
}

t.test('AUDIT8 a network has five entries a minute, and then a count', async (t) => {
  const pace = new AuditPace();
  t.equal(admitted(pace, 20, failureFrom('192.0.2.1')), 5);
  t.equal(admitted(pace, 3, failureFrom('2001:db8::1')), 3);
  t.equal(admitted(pace, 3, failureFrom('2001:db8::2')), 2, 'an IPv6 network counts as one');
  t.strictSame(pace.takeSummaries(MINUTE - 1), []);
  const summaries = pace.takeSummaries(MINUTE);
  t.match(summaries, [{ kind: 'login.failed', user: null, details: { more: 15 } }, { details: { more: 1 } }]);
  t.strictSame(
    summaries.map(({ client }) => client?.address()),
    ['192.0.2.1', '2001:db8::2'],
  );
  t.strictSame(pace.takeSummaries(2 * MINUTE), [], 'once');
  t.equal(admitted(pace, 20, failureFrom('192.0.2.1'), MINUTE), 5, 'the next minute begins anew');
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

t.test('AUDIT8 a user has sixty entries of a kind in an hour, a superuser and the operator as many as they cause', async (t) => {
  const pace = new AuditPace();
  t.equal(admitted(pace, 250, changeBy('ann')), 60);
  t.equal(admitted(pace, 5, changeBy('ann', false, 'sessions.ended')), 5, 'other kinds are not affected');
  t.equal(admitted(pace, 10, changeBy('ben')), 10, 'nor are others');
  t.equal(admitted(pace, 500, changeBy('admin', true)), 500);
  t.equal(admitted(pace, 500, { kind: 'service.started', user: null }), 500);
  t.strictSame(pace.takeSummaries(HOUR - 1), []);
  t.match(pace.takeSummaries(HOUR), [{ kind: 'logout', user: { id: 'ann' }, details: { more: 190 } }]);
  t.strictSame(
    [...pace.leftOut].filter(([, count]) => count > 0),
    [['logout', 190]],
  );
  t.equal(admitted(pace, 100, changeBy('ann'), HOUR), 60, 'the next hour begins anew');
});

t.test('AUDIT16 no flood of others takes the entries of a user', async (t) => {
  const pace = new AuditPace();
  const kinds: AuditKind[] = ['logout', 'session.ended', 'sessions.ended', 'invitation.created', 'login'];
  for (let attacker = 0; attacker < 1_000; attacker += 1) {
    for (const kind of kinds) admitted(pace, 70, changeBy(`attacker ${attacker}`, false, kind));
  }
  for (const kind of kinds) t.equal(admitted(pace, 60, changeBy('ann', false, kind)), 60, kind);
  const counts = pace.takeSummaries(HOUR);
  t.equal(counts.length, 5 * 1_000, 'what was left out is counted for each user and kind');
  t.match(counts[0], { kind: 'logout', user: { id: 'attacker 0' }, details: { more: 10 } });
});

t.test('AUDIT15 what decides over accounts and access is never left out: a user who does it too often is refused', async (t) => {
  const never: AuditKind[] = [
    'password.reset',
    'email.verified',
    'factor.disabled',
    'key.revoked',
    'user.promoted',
    'user.deleted',
    'member.added',
    'member.removed',
    'board.imported',
    'webhook.deleted',
  ];
  const limited = {
    'password.changed': 20,
    'factor.enabled': 20,
    'recovery_codes.renewed': 20,
    'key.created': 200,
    'member.role_changed': 200,
    'webhook.created': 200,
    'webhook.updated': 200,
    'webhook.rotated': 200,
    'webhook.resumed': 200,
    'webhook.replayed': 200,
    'board.deleted': 300,
  } as const;
  const pace = new AuditPace({ boards: 300 });
  admitted(pace, 1_000, changeBy('ann'));
  for (const kind of never) t.equal(admitted(pace, 1_000, changeBy('ann', false, kind)), 1_000, kind);
  for (const [kind, max] of Object.entries(limited) as Array<[keyof typeof limited, number]>) {
    t.equal(admitted(pace, max, changeBy('ann', false, kind), 1_000), max, kind);
    t.match(pace.take(changeBy('ann', false, kind), 1_000), { fate: 'refused', retryAfter: 3_599 }, `${kind} is refused, not hidden`);
    t.equal(pace.take(changeBy('ben', false, kind), 1_000).fate, 'kept', 'of another user it is not');
    t.equal(pace.take(changeBy('root', true, kind), 1_000).fate, 'kept', 'nor of a superuser');
  }
  t.match(pace.takeSummaries(HOUR, true), [{ kind: 'logout' }], 'a refusal is no entry that was left out');
});

t.test('AUDIT15 what failed does not count against the user', async (t) => {
  const pace = new AuditPace();
  const fates = Array.from({ length: 100 }, () => {
    const place = pace.take(changeBy('ann', false, 'password.changed'), 0);
    place.giveBack();
    return place.fate;
  });
  t.strictSame(new Set(fates), new Set(['kept']));
});

t.test('AUDIT16 the first login of a user from a network is never left out', async (t) => {
  const pace = new AuditPace();
  const loginFrom = (address: string, id = 'ann'): AuditEvent => changeBy(id, false, 'login', address);
  t.equal(admitted(pace, 100, loginFrom('192.0.2.1')), 1 + 60, 'those from a known network have a budget');
  const networks = Array.from({ length: 99 }, (_, network) => loginFrom(`198.51.100.${network}`));
  t.ok(networks.every((login) => pace.take(login, 0).fate === 'kept'));
  t.ok(
    networks.every((login) => pace.take(login, 0).fate === 'left out'),
    'once each',
  );
  t.equal(pace.take(loginFrom('203.0.113.1'), 0).fate, 'refused', 'a hundred networks in an hour, then no further one');
  t.equal(pace.take(loginFrom('192.0.2.1'), 0).fate, 'left out', 'a known one is not refused');
  t.equal(admitted(pace, 70, loginFrom('2001:db8:0:1::1', 'ben')), 61);
  t.equal(pace.take(loginFrom('2001:db8:0:2::1', 'ben'), 0).fate, 'left out', 'a site of IPv6 is one network');
  const failed = pace.take(loginFrom('2001:db8:1::1', 'ben'), 0);
  failed.giveBack();
  t.equal(pace.take(loginFrom('2001:db8:1::1', 'ben'), 0).fate, 'kept', 'a login that failed has shown no network');
});

t.test('AUDIT16 failed logins and forgotten passwords of an account keep places of their own', async (t) => {
  const pace = new AuditPace();
  for (let network = 0; network < 100; network += 1) admitted(pace, 5, failureFrom(`10.0.0.${network}`));
  t.equal(admitted(pace, 1, failureFrom('192.0.2.1')), 0, 'the budget of all networks is used up');
  t.equal(admitted(pace, 20, failureOf('ann', '10.0.0.1')), 5, 'also from a network without a budget');
  t.equal(admitted(pace, 20, failureOf('ben', '10.0.0.1')), 5, 'each account has its own');
  t.equal(admitted(pace, 20, changeBy('ann', true, 'password.reset_requested', '10.0.0.1')), 5, 'and for each kind');
  t.equal(admitted(pace, 20, failureOf('cat', '10.0.0.1', 'limit')), 0, 'what a limit refused was no guess and takes none');
  t.equal(admitted(pace, 20, failureOf('cat', '10.0.0.1')), 5);
  const counted = pace.takeSummaries(MINUTE).reduce((total, { details }) => total + Number(details?.['more']), 0);
  t.equal(counted, 440 + 1 + 4 * 15 + 20, 'the others are counted');
});

t.test('LIMIT6 memory is bounded, and a flood of accounts gives no used up budget back', async (t) => {
  const pace = new AuditPace({ maxWindows: 1_000, perUserAndKind: 3 });
  t.equal(admitted(pace, 10, changeBy('ann')), 3);
  let kept = 0;
  for (let user = 0; user < 10_000; user += 1) {
    kept += admitted(pace, 2, changeBy(`user ${user}`));
    pace.take(failureOf(`user ${user}`, `2001:db8:0:${user.toString(16)}::1`), 0);
  }
  t.equal(kept, 20_000, 'a newcomer always has a budget');
  t.ok(pace.windows <= 3 * 1_000, `${pace.windows} windows`);
  t.equal(admitted(pace, 10, changeBy('ann')), 0, 'the budget of the hour stays used up');
  const counted = pace.takeSummaries(HOUR, true).filter(({ kind }) => kind === 'logout');
  t.match(counted, [{ user: { id: 'ann' }, details: { more: 17 } }]);
  t.strictSame(pace.takeSummaries(2 * HOUR, true), [], 'a stop leaves no count behind');
  t.equal(pace.windows, 0);
});
