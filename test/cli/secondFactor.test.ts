import t, { type Test } from 'tap';
import type { AuditEntry } from '../../src/domain/audit.js';
import type { DirectoryCommand } from '../../src/domain/commands/directoryCommands.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { codeOf, logInWith, turnOnFactor } from '../support/http/secondFactor.js';
import { statusOf } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { createUser, run, workplace } from '../support/service/commandLine.js';
import { changeUser } from '../support/service/operator.js';
import { auditLines } from '../support/http/audit.js';

/** Every test starts the program several times, which is slow on a busy machine. */

function entriesIn(t: Test, dataDir: string): AuditEntry[] {
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: (error) => t.fail(String(error)) });
  const command: DirectoryCommand = { op: 'audit.list', input: { before: null, limit: 100, user_id: null, kind: null } };
  const [outcome] = directory.runNow([command]);
  directory.close();
  return outcome?.ok === true ? (outcome.value as AuditEntry[]) : [];
}

t.test('TOTP10 the operator turns a lost factor off, which ends all sessions', async (t) => {
  const { folder, dataDir } = workplace(t);
  const { api } = await startTestApp(t, { DATA_DIR: dataDir });
  const user = await newUser(api);
  const factor = await turnOnFactor(api, user);
  t.match(await run(folder, ['user', 'reset-factor', user.username]), { code: 0, stdout: /has no second factor any more\.\n$/, stderr: '' });
  t.equal(await statusOf(api, user.token), 401);
  t.equal((await logInWith(api, user)).status, 200, 'without a code');
  t.match(await run(folder, ['user', 'reset-factor', user.username]), { code: 1, stdout: '', stderr: /has no second factor\./ });
  const admin = await newUser(api);
  await changeUser(dataDir, admin.id, { is_superuser: true });
  const { body } = await api.request<{ entries: AuditEntry[] }>('GET', '/admin/audit?kind=factor.reset', { token: admin.token });
  const expected = { kind: 'factor.reset', user_id: null, subject_id: user.id, subject: user.username, device: 'command line' };
  t.match(body.entries, [expected]);
  t.equal(body.entries.length, 1);
  t.match(
    (await auditLines(dataDir)).filter(({ kind }) => kind === 'factor.reset'),
    [expected],
    'and in the file',
  );
  t.not(codeOf(factor), '');
});

t.test('AUDIT13 what the operator does to users leaves an entry, whether the service runs or not', async (t) => {
  const { folder, dataDir } = workplace(t);
  const id = await createUser(folder, 'ann');
  for (const verb of ['promote', 'demote', 'deactivate', 'activate']) t.match(await run(folder, ['user', verb, 'ann']), { code: 0 });
  t.match(await run(folder, ['user', 'passwd', 'ann', '--password-stdin'], { input: 'the new one\n' }), { code: 0 });
  const kinds = ['user.created', 'user.promoted', 'user.demoted', 'user.deactivated', 'user.activated', 'password.reset'];
  const stopped = entriesIn(t, dataDir);
  t.strictSame(
    stopped.map(({ kind }) => kind),
    [...kinds].reverse(),
  );
  for (const entry of stopped) t.match(entry, { user_id: null, subject_id: id, subject: 'ann', address: null, device: 'command line' });
  const app = await startTestApp(t, { DATA_DIR: dataDir });
  t.match(await run(folder, ['user', 'promote', 'ann']), { code: 0 });
  t.match(await run(folder, ['user', 'promote', 'nobody']), { code: 1 });
  await app.close();
  const added = entriesIn(t, dataDir).filter(({ kind }) => kind === 'user.promoted');
  t.equal(added.length, 2);
  t.match(
    (await auditLines(dataDir)).filter(({ kind }) => kind === 'user.promoted'),
    [{ subject_id: id }],
  );
});
