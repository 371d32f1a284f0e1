import t, { type Test } from 'tap';
import * as v from 'valibot';
import { username } from '../../../src/api/schemas/fields.js';
import { emailOf, usernamesFor } from '../../../src/api/accounts/ssoNames.js';
import type { ProviderProfile } from '../../../src/auth/sso/claims.js';
import type { IdentityEntry } from '../../../src/domain/account/identity.js';
import { IdSource } from '../../../src/domain/ids.js';
import { RunningDirectory } from '../../support/store/runningDirectory.js';
import { seededRandom } from '../../support/seededRandom.js';

const NOW = '2030-01-01T00:00:00.000Z';
const USERNAME = username();
const ids = new IdSource();

function open(t: Test): RunningDirectory {
  const directory = new RunningDirectory({ dataDir: t.testdir(), durability: 'normal', onError: (error) => t.fail(String(error)) });
  t.teardown(() => directory.close());
  return directory;
}

function profileOf(subject: string, preferredUsername: string | null, email = `${subject}@example.org`): ProviderProfile {
  return { issuer: 'https://id.example.org', subject, email, isEmailVerified: true, preferredUsername, firstname: null, lastname: null, groups: [] };
}

/** As the first login of an identity does it. */
function enter(directory: RunningDirectory, profile: ProviderProfile): unknown {
  const { issuer, subject, isEmailVerified: is_email_verified } = profile;
  const newcomer = { id: ids.fresh(), usernames: usernamesFor(profile), hashed_password: 'x', firstname: null, lastname: null };
  const input = { issuer, subject, email: emailOf(profile), is_email_verified, is_superuser: null, newcomer, now: NOW };
  return directory.runNow([{ op: 'identity.enter', input }])[0];
}

function nameIn(outcome: unknown): string | null {
  const { value } = outcome as { value?: IdentityEntry };
  return value?.kind === 'entered' ? value.user.username : null;
}

const HOSTILE: ReadonlyArray<readonly [string | null, string]> = [
  ['deleted user', 'deleted user2'],
  ['Deleted  User', 'Deleted User3'],
  ['ＤＥＬＥＴＥＤ　ｕｓｅｒ', 'ＤＥＬＥＴＥＤ ｕｓｅｒ4'],
  ['deleted\u00a0user', 'deleted user5'],
  [' deleted user ', 'deleted user6'],
  ['deleted user@example.org', 'deleted user7'],
  ['dеleted user', 'number6'],
  ['deleted\u200b user', 'number7'],
  ['\u0301', 'number8'],
  ['\u0000', 'number9'],
  ['\ud800', 'number10'],
  ['   ', 'number11'],
  ['@', 'number12'],
  [null, 'number13'],
  ['x'.repeat(10_000), 'x'.repeat(40)],
  ['\u{1F600}'.repeat(300), '\u{1F600}'.repeat(40)],
  ['root', 'root2'],
  ['ｒｏｏｔ', 'ｒｏｏｔ3'],
];

t.test('SSO10 a name that a registration would refuse leads to a valid one', async (t) => {
  const directory = open(t);
  const rest = { hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false, now: NOW };
  directory.runNow([{ op: 'user.create', input: { id: ids.fresh(), email: 'root@example.org', username: 'root', ...rest } }]);
  for (const [index, [name, expected]] of HOSTILE.entries()) {
    const outcome = enter(directory, profileOf(`number${index}`, name));
    t.equal(nameIn(outcome), expected, JSON.stringify({ name: name?.slice(0, 20), outcome }));
  }
});

t.test('SSO10 any text of the provider leads to an account, however many have the same', async (t) => {
  const directory = open(t);
  const random = seededRandom(24);
  const parts = [
    'deleted user',
    'deleted',
    'user',
    ' ',
    '\u00a0',
    '\u3000',
    'a',
    'A',
    'а',
    'ａ',
    '1',
    '-',
    '@',
    '.',
    '\0',
    '\n',
    '\u0301',
    '\u200d',
    '\u202e',
    '\u2800',
    '\u{1F600}',
    '\ud83d',
    'ﷺ',
    'İ',
    'ß',
    'Ω',
    '\u{e0041}',
    '',
  ];
  for (let count = 0; count < 300; count += 1) {
    const text = Array.from({ length: random.below(6) }, () => random.pick(parts)).join('');
    const name = nameIn(enter(directory, profileOf(`s${count}`, text)));
    if (name === null || !v.safeParse(USERNAME, name).success) t.fail(JSON.stringify({ text, name }));
  }
});

t.test('SSO10 the e-mail address of deleted users is refused', async (t) => {
  const directory = open(t);
  for (const email of ['deleted@user.invalid', 'Deleted@User.Invalid']) {
    t.match(enter(directory, profileOf('ann', 'ann', email)), { ok: true, value: { kind: 'email_taken' } });
  }
});
