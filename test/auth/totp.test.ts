import t from 'tap';
import { SealedSecrets } from '../../src/auth/sealedSecrets.js';
import { hashRecoveryCode, newRecoveryCodes } from '../../src/auth/recoveryCodes.js';
import { isTotpCode, matchingStep, newTotpSecret, otpauthUri, stepAt, toBase32, totpCode } from '../../src/auth/totp.js';
import { fromBase32 } from '../support/http/secondFactor.js';

/** RFC 6238, appendix B, for SHA-1. */
const RFC_SECRET = Buffer.from('12345678901234567890');
const RFC_CODES: ReadonlyArray<readonly [seconds: number, code: string]> = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];
/** RFC 4226, appendix D. */
const HOTP_CODES = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];

t.test('TOTP2 codes are those of RFC 6238', async (t) => {
  for (const [seconds, code] of RFC_CODES) {
    const step = stepAt(new Date(seconds * 1000));
    t.equal(totpCode(RFC_SECRET, step, 8), code);
    t.equal(totpCode(RFC_SECRET, step), code.slice(2), 'the last digits are the shorter code');
  }
  for (const [step, code] of HOTP_CODES.entries()) t.equal(totpCode(RFC_SECRET, step), code);
});

t.test('TOTP2 the secret has the form that authenticator applications read', async (t) => {
  // RFC 4648, chapter 10, without padding.
  const words = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, base32] of Object.entries(words)) t.equal(toBase32(Buffer.from(text)), base32);
  const secret = newTotpSecret();
  t.equal(secret.length, 20);
  t.notSame(newTotpSecret(), secret);
  t.same(fromBase32(toBase32(secret)), secret);
  const uri = new URL(otpauthUri(secret, 'A service: 1', 'ann+x@example.org'));
  t.equal(uri.href.slice(0, 15), 'otpauth://totp/');
  t.equal(decodeURIComponent(uri.pathname.slice(1)), 'A service: 1:ann+x@example.org');
  t.notMatch(uri.href, /\+/, 'some applications show a plus for a space');
  t.strictSame(Object.fromEntries(uri.searchParams), {
    secret: toBase32(secret),
    issuer: 'A service: 1',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

t.test('TOTP4 a code belongs to one of three steps, and nothing else is one', async (t) => {
  const now = new Date(1_234_567_890_000);
  const step = stepAt(now);
  const fits = [-2, -1, 0, 1, 2].map((offset) => matchingStep(RFC_SECRET, totpCode(RFC_SECRET, step + offset), now));
  t.strictSame(fits, [null, step - 1, step, step + 1, null]);
  for (const text of ['', '00592', '0059240', '89005924', '００５９２４', '-05924', '5924.0']) {
    t.equal(isTotpCode(text), false, text);
    t.equal(matchingStep(RFC_SECRET, text, now), null, text);
  }
});

t.test('TOTP4 recovery codes are random, hashed, and read in any spelling', async (t) => {
  const { codes, hashes } = newRecoveryCodes();
  t.equal(new Set([...codes, ...newRecoveryCodes().codes]).size, 20);
  for (const [index, code] of codes.entries()) {
    t.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const spellings = [code, code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')}\n`];
    for (const spelling of spellings) t.equal(hashRecoveryCode(spelling), hashes[index]);
    t.notMatch(hashes[index], code.slice(0, 4));
  }
  for (const text of ['', '123456', `${codes[0]}a`, codes[0]?.slice(1) ?? '', 'aaaa-bbbb-cccc-dd01']) t.equal(hashRecoveryCode(text), null);
});

t.test('PASS4 a sealed secret opens for its user and its JWT_SECRET alone, and unchanged', async (t) => {
  const secrets = new SealedSecrets('a secret', 'factors');
  const sealed = secrets.seal('ann', RFC_SECRET);
  t.same(secrets.open('ann', sealed), RFC_SECRET);
  t.not(secrets.seal('ann', RFC_SECRET), sealed);
  t.equal(Buffer.from(sealed, 'base64').includes(RFC_SECRET), false);
  t.equal(secrets.open('ben', sealed), null);
  t.equal(new SealedSecrets('another secret', 'factors').open('ann', sealed), null);
  const bytes = Buffer.from(sealed, 'base64');
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  t.equal(secrets.open('ann', bytes.toString('base64')), null);
  for (const text of ['', 'x', sealed.slice(0, 8)]) t.equal(secrets.open('ann', text), null);
});
