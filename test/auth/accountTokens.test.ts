import t from 'tap';
import { AccountTokens, type AccountState, type AccountTokenKind } from '../../src/auth/accountTokens.js';
import { IdSource } from '../../src/domain/ids.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const tokens = new AccountTokens('a secret of the tests');
const ann: AccountState = { id: new IdSource().fresh(), email: 'ann@example.org', hashed_password: 'a hash' };
const KINDS = ['mailed reset', 'handed reset', 'verification'] as const satisfies readonly AccountTokenKind[];

function later(milliseconds: number): Date {
  return new Date(NOW.getTime() + milliseconds);
}

t.test('MAIL5 a token names its kind, user and expiry, and works until then', async (t) => {
  for (const [kind, hours] of [
    ['mailed reset', 1],
    ['handed reset', 1],
    ['verification', 24],
  ] as const) {
    const token = tokens.issue(kind, ann, NOW);
    const end = later(hours * 3_600_000);
    t.match(tokens.read(token, NOW), { kind, userId: ann.id, expiresAt: end.toISOString() });
    t.ok(tokens.read(token, new Date(end.getTime() - 1)));
    t.equal(tokens.read(token, end), null);
    t.notMatch(token, /ann|hash/, 'it reveals nothing');
    t.match(token, /^[\w.-]+$/, 'it needs no encoding in a link');
  }
});

t.test('MAIL5 a token that was changed anywhere, or is of another secret, is not ours', async (t) => {
  const token = tokens.issue('mailed reset', ann, NOW);
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === '1' ? '2' : '1';
    const changed = token.slice(0, at) + other + token.slice(at + 1);
    t.equal(tokens.read(changed, NOW), null, `changed at ${at}`);
  }
  for (const bad of ['', token + 'A', ` ${token}`, `${token}\n`, token.toUpperCase(), token.slice(0, -1)]) t.equal(tokens.read(bad, NOW), null);
  t.equal(new AccountTokens('another').read(token, NOW), null);
});

t.test('MAIL5 the token of a new address has it, and is bound to the account as it was', async (t) => {
  const token = tokens.issueForAddress('änn@example.com', ann, NOW);
  const claim = tokens.read(token, NOW);
  if (claim === null) throw new Error('not read');
  t.match(claim, { kind: 'new address', userId: ann.id, newEmail: 'änn@example.com', expiresAt: later(24 * 3_600_000).toISOString() });
  t.strictSame(tokens.expected(claim, ann), { email: ann.email, hashed_password: 'a hash' });
  t.equal(tokens.expected(claim, { ...ann, hashed_password: 'another' }), null);
  const [head, address = ''] = [token.split('.').slice(0, 3).join('.'), Buffer.from('eve@example.com').toString('base64url')];
  t.equal(tokens.read(`${head}.${address}.${token.split('.').at(-1)}`, NOW), null, 'another address needs another token');
  t.equal(tokens.read(token.replace('swe_', 'swv_'), NOW), null);
  t.equal(tokens.read(`${head}.${token.split('.').at(-1)}`, NOW), null);
});

t.test('MAIL5 a reset is bound to the password and the address, a verification to the address', async (t) => {
  for (const kind of KINDS) {
    const claim = tokens.read(tokens.issue(kind, ann, NOW), NOW);
    if (claim === null) throw new Error('not read');
    const isVerification = kind === 'verification';
    const expected = isVerification ? { email: ann.email } : { email: ann.email, hashed_password: 'a hash' };
    t.strictSame(tokens.expected(claim, ann), expected);
    t.equal(tokens.expected(claim, { ...ann, email: 'anna@example.org' }), null);
    t.equal(tokens.expected(claim, { ...ann, hashed_password: 'another' }) === null, !isVerification);
  }
  const [first, second] = [tokens.issue('mailed reset', ann, NOW), tokens.issue('mailed reset', ann, later(1_000))];
  t.not(tokens.read(first, NOW)?.hash, tokens.read(second, NOW)?.hash, 'each is spent by itself');
});
