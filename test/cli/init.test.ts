import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import t from 'tap';
import { run, listUsers, workplace } from '../support/service/commandLine.js';

const ACCOUNT = ['--email', 'ann@example.org', '--username', 'ann', '--password-stdin'];
const INPUT = { input: 'correct horse\n' };

t.test('CLI27 init writes the settings with a secret, the data folder and the first superuser', async (t) => {
  const { folder, dataDir } = workplace(t);
  const done = await run(folder, ['init', ...ACCOUNT], INPUT);
  t.match(done, {
    code: 0,
    stdout: /Superuser: {2}ann\n[^]*Start the service with:\n {2}switchboard\n\nBrowsers keep a login over HTTPS only[^]*$/,
    stderr: '',
  });
  const file = join(folder, '.env');
  t.equal((await stat(file)).mode & 0o777, 0o600);
  const settings = parseEnv(await readFile(file, 'utf8'));
  t.match(settings, { ENVIRONMENT: 'production', DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '8000', REGISTRATION: 'closed' });
  t.ok((settings['JWT_SECRET'] ?? '').length >= 64);
  t.notMatch(done.stdout, settings['JWT_SECRET'] ?? '', 'the secret is shown nowhere');
  t.match(await listUsers(folder), [{ username: 'ann', is_superuser: true }]);
  t.match(await run(folder, ['config', 'check']), { code: 0 });
  t.match(await run(folder, ['user', 'demote', 'ann']), { code: 0, stdout: /no longer a superuser/ });
  t.match(await listUsers(folder), [{ username: 'ann', is_superuser: false }]);
});

t.test('CLI27 init changes nothing if the settings exist or something it is told is wrong', async (t) => {
  const { folder } = workplace(t);
  const missing = (name: string): Promise<unknown> =>
    stat(join(folder, name)).then(
      () => false,
      () => true,
    );
  t.match(await run(folder, ['init', '--email', 'x', '--username', 'ann', '--password-stdin'], INPUT), { code: 64, stderr: /--email/ });
  t.match(await run(folder, ['init', ...ACCOUNT, '--port', 'many'], INPUT), { code: 78, stderr: /PORT/ });
  t.match(await run(folder, ['init', ...ACCOUNT], { input: 'short\n' }), { code: 1, stderr: /at least 8/ });
  t.match(await run(folder, ['init', '--password-stdin'], INPUT), { code: 64, stderr: /--email and --username/ });
  t.ok((await missing('.env')) && (await missing('data')));
  await writeFile(join(folder, '.env'), 'PORT=9\n');
  t.match(await run(folder, ['init', ...ACCOUNT], INPUT), { code: 1, stderr: /exists already, so nothing was changed/ });
  t.equal(await readFile(join(folder, '.env'), 'utf8'), 'PORT=9\n');
  t.ok(await missing('data'));
});

t.test('CLI1 "help" with the words of a command shows its help', async (t) => {
  const { folder } = workplace(t);
  t.match(await run(folder, ['help', 'user', 'demote']), { code: 0, stdout: /^Usage: switchboard user demote <user>/ });
  t.match(await run(folder, ['help']), { code: 0, stdout: /Commands:/ });
  t.match(await run(folder, ['help', 'nonsense']), { code: 64 });
});
