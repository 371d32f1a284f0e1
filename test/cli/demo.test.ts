import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import t, { type Test } from 'tap';
import { COLLEAGUES, VISITOR } from '../../src/demo/plan.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { freePort } from '../support/service/ports.js';
import { spawnProgram } from '../support/service/program.js';
import type { Settings } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';

/** The program starts and fills a board, which is slow on a busy machine. */

t.test('DEMO1 the demonstration shows a board that colleagues are busy on, and leaves nothing', async (t) => {
  const { folder, program, ended, shown, url, boardId } = await startDemo(t, ['demo', '--port', '0'], {});
  t.match(shown, new RegExp(`Log in as ${VISITOR.username}, with the password ${VISITOR.password}\\.`));
  const login = await fetch(`${url}/auth/login`, { method: 'POST', body: new URLSearchParams({ ...VISITOR, lastname: '' }) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const socket = await TestSharedSocket.enter(url, { token });
  const subscribed = await socket.subscribe(boardId);
  const online = (subscribed['online_users'] as { username: string }[]).map(({ username }) => username);
  for (const { username } of COLLEAGUES) t.ok(online.includes(username), `${username} is there`);
  await socket.find(({ type }) => /^(?:card|checklist_item)\./.test(type));
  t.pass('a colleague changed the board');
  program.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
  t.strictSame(readdirSync(folder), [], 'the folder is gone');
});

t.test('DEMO1 `--demo` of the service is the demonstration, obeys PORT, and does not touch the data folder', async (t) => {
  const port = String(await freePort());
  const { folder, program, ended, url } = await startDemo(t, ['--demo'], { PORT: port, DATA_DIR: 'mine' });
  t.equal(url, `http://127.0.0.1:${port}`, 'on the port of the environment');
  program.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
  t.strictSame(readdirSync(folder), []);
});

/** Resolves when the board is shown. */
async function startDemo(t: Test, args: readonly string[], settings: Settings) {
  const folder = await temporaryFolder(t);
  const program = spawnProgram(args, { TMPDIR: folder, ...settings }, folder);
  t.teardown(() => program.kill('SIGKILL'));
  const ended = once(program, 'close');
  let shown = '';
  const [, url = '', boardId = ''] = await new Promise<RegExpExecArray>((resolve, reject) => {
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const found = /(http:\S+)\/app\/boards\/([0-9a-f-]{36})/.exec(shown);
      if (found !== null && shown.includes('Ctrl-C')) resolve(found);
    });
    void ended.then(() => reject(new Error(`it ended before: ${shown}`)));
  });
  return { folder, program, ended, shown, url, boardId };
}
