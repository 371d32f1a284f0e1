import t from 'tap';
import { MAX_PASSWORD_BYTES, passwordProblem } from '../../src/auth/passwordRules.js';
import type { PasswordRules } from '../../src/auth/passwordRules.js';

const anything: PasswordRules = { minLength: 1, require: [] };
const strict: PasswordRules = { minLength: 8, require: ['lower', 'upper', 'digit', 'symbol'] };

t.test('AUTH4 one sentence names each requirement that a password misses', async (t) => {
  t.equal(
    passwordProblem('', strict),
    'The password must have at least 8 characters, a lower-case letter, an upper-case letter, a digit, and a symbol.',
  );
  t.equal(passwordProblem('lowercase-only', strict), 'The password must have an upper-case letter and a digit.');
  t.equal(passwordProblem('Abcdef1!', strict), null);
});

t.test('AUTH4 without requirements any non-empty password is accepted', async (t) => {
  t.equal(passwordProblem('', anything), 'The password must have at least 1 character.');
  t.equal(passwordProblem(' ', anything), null);
});

t.test('AUTH4 a requirement that is listed twice is named once', async (t) => {
  t.equal(passwordProblem('a', { minLength: 1, require: ['digit', 'digit'] }), 'The password must have a digit.');
});

t.test('AUTH4 length is counted in code points', async (t) => {
  const four: PasswordRules = { minLength: 4, require: [] };
  t.equal(passwordProblem('🔑🔑🔑🔑', four), null);
  t.equal(passwordProblem('🔑🔑', four), 'The password must have at least 4 characters.');
});

t.test('AUTH4 letters, digits and symbols of every script count', async (t) => {
  t.equal(passwordProblem('éÉ٣€', { minLength: 1, require: strict.require }), null);
  const lower: PasswordRules = { minLength: 1, require: ['lower'] };
  t.equal(passwordProblem('日本語', lower), 'The password must have a lower-case letter.');
});

t.test('AUTH4 a password has at most 1024 bytes of UTF-8', async (t) => {
  t.equal(passwordProblem('a'.repeat(MAX_PASSWORD_BYTES), anything), null);
  const tooLong = 'The password must have at most 1024 bytes in UTF-8.';
  t.equal(passwordProblem('a'.repeat(MAX_PASSWORD_BYTES + 1), anything), tooLong);
  t.equal(passwordProblem('é'.repeat(MAX_PASSWORD_BYTES / 2 + 1), anything), tooLong);
});

t.test('AUTH4 an unpaired surrogate is refused, a pair is not', async (t) => {
  t.equal(passwordProblem('abc\ud83d', anything), 'The password must have only valid Unicode characters.');
  t.equal(passwordProblem('abc\ud83d\udd11', anything), null);
});
