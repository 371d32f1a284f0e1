import t from 'tap';
import { createUser, listUsers, run, workplace } from '../support/service/commandLine.js';
import { startTestApp } from '../support/service/app.js';
import { logIn } from '../support/http/users.js';

/** Every test starts the program several times, which is slow on a busy machine. */

const JWT_SECRET = 'of the tests alone';
const PUBLIC_URL = 'https://boards.example.org';

t.test('MAIL9 user reset-link prints a link with which the user sets a new password', async (t) => {
  const { folder, dataDir } = workplace(t);
  await createUser(folder, 'ann');
  const link = async (settings: Record<string, string>): Promise<string> => {
    const { code, stdout, stderr } = await run(folder, ['user', 'reset-link', 'ann@example.org'], { settings: { JWT_SECRET, ...settings } });
    t.equal(code, 0);
    t.match(stderr, settings['PUBLIC_URL'] === undefined ? /^This is the token alone[^]*\/app\/reset-password#token=/ : /^$/);
    return stdout.trimEnd();
  };
  const url = await link({ PUBLIC_URL });
  t.match(url, /^https:\/\/boards\.example\.org\/app\/reset-password#token=swo_\S+$/);
  const app = await startTestApp(t, { DATA_DIR: dataDir, JWT_SECRET, SHARDS: '16' });
  const reset = (token: string, password: string): Promise<{ status: number }> =>
    app.api.request('POST', '/auth/reset-password', { json: { token, password } });
  const token = await link({});
  t.match(token, /^swo_\S+$/, 'without PUBLIC_URL the token alone; also while the service runs');
  t.equal((await reset(url.replace(/^.*#token=/, ''), 'another horse')).status, 200);
  await logIn(app.api, 'ann', 'another horse');
  t.equal((await reset(token, 'a third horse')).status, 403, 'the password was changed since');
});

t.test('MAIL9 user verify confirms an address, and no link is printed for an unknown or inactive user', async (t) => {
  const { folder } = workplace(t);
  await createUser(folder, 'ann');
  t.match(await run(folder, ['user', 'verify', 'ann']), { code: 0, stdout: 'ann <ann@example.org> has a confirmed e-mail address.\n' });
  t.match(await listUsers(folder), [{ is_verified: true }]);
  t.match(await run(folder, ['user', 'reset-link', 'ben']), { code: 1, stdout: '', stderr: /There is no user "ben"/ });
  await run(folder, ['user', 'deactivate', 'ann']);
  t.match(await run(folder, ['user', 'reset-link', 'ann']), { code: 1, stdout: '', stderr: /The user "ann" is not active/ });
});
