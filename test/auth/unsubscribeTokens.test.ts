import t from 'tap';
import { UnsubscribeTokens } from '../../src/auth/unsubscribeTokens.js';
import { IdSource } from '../../src/domain/ids.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const tokens = new UnsubscribeTokens('a secret of the tests');
const ann = new IdSource().fresh();

t.test('MAIL43 a link works for a year and tells nothing', async (t) => {
  const token = tokens.issue(ann, NOW);
  const end = NOW.getTime() + 365 * 24 * 3_600_000;
  t.equal(tokens.read(token, NOW), ann);
  t.equal(tokens.read(token, new Date(end - 1)), ann);
  t.equal(tokens.read(token, new Date(end)), null);
  t.match(token, /^swu_[\w-]{64}$/, 'it needs no encoding in a link');
  t.notMatch(Buffer.from(token.slice(4), 'base64url').toString('hex'), ann.replaceAll('-', ''), 'not even whose it is');
  t.not(tokens.issue(ann, NOW), token);
});

t.test('MAIL43 a link that was changed anywhere, or is of another secret, is not ours', async (t) => {
  const token = tokens.issue(ann, NOW);
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === '1' ? '2' : '1';
    t.equal(tokens.read(token.slice(0, at) + other + token.slice(at + 1), NOW), null, `changed at ${at}`);
  }
  for (const bad of ['', token + 'A', ` ${token}`, `${token}\n`, token.slice(0, -1)]) t.equal(tokens.read(bad, NOW), null);
  t.equal(new UnsubscribeTokens('another').read(token, NOW), null);
});
