import t from 'tap';
import { Api } from '../support/http/api.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { changeUser } from '../support/service/operator.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { until } from '../support/until.js';

const ATTACKERS = 4;
const BOARDS_OF_EACH = 40;
/** A pass through the boards of an attacker takes longer: at its end the name has changed again. */
const RENAME_MS = 30;

t.test('HOSTILE46 users who change their names all the time delay neither the names of others nor deletions', async (t) => {
  const dataDir = await temporaryFolder(t);
  // Beyond the default, so that the attack goes on.
  const service = await ServiceProcess.start({ DATA_DIR: dataDir, DURABILITY: 'normal', MAX_PROFILE_CHANGES_PER_MINUTE: '1000000' });
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  const send = async <Body>(status: number, request: string, token: string, json?: object): Promise<Body> => {
    const [method = '', path = ''] = request.split(' ');
    const answer = await api.request<Body>(method, path, { token, ...(json === undefined ? {} : { json }) });
    if (answer.status !== status) throw new Error(`${request} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const makeBoard = async ({ token }: TestUser): Promise<string> => (await send<{ id: string }>(201, 'POST /boards', token, { title: 'Plans' })).id;
  const [root, renamed, deleted, ...attackers] = await Promise.all([
    newUser(api),
    newUser(api),
    newUser(api, { firstname: 'Forgotten' }),
    ...Array.from({ length: ATTACKERS }, () => newUser(api)),
  ]);
  await changeUser(dataDir, root.id, { is_superuser: true });
  const board = await makeBoard(root);
  for (const { id } of [renamed, deleted]) await send(200, `POST /boards/${board}/invite`, root.token, { user_id: id });
  await Promise.all(attackers.flatMap((attacker) => Array.from({ length: BOARDS_OF_EACH }, () => makeBoard(attacker))));

  const sent: Array<Promise<unknown>> = [];
  let count = 0;
  const attack = setInterval(() => {
    const json = { firstname: `Name ${(count += 1)}` };
    for (const { token } of attackers) sent.push(send(200, 'PATCH /auth/me', token, json));
  }, RENAME_MS);
  t.teardown(() => clearInterval(attack));
  // The attack holds its places by now.
  await Promise.all(await untilLength(sent, ATTACKERS));
  await send(200, 'PATCH /auth/me', renamed.token, { firstname: 'Renamed' });
  await send(204, `DELETE /admin/users/${deleted.id}`, root.token);
  const isRight = (text: string): boolean => text.includes('Renamed') && !text.includes('Forgotten');
  const members = async (): Promise<string> => JSON.stringify(await send(200, `GET /boards/${board}/members`, root.token));
  const shown = await until(async () => {
    const text = await members();
    return isRight(text) && text;
  }, members);
  t.match(shown, 'Renamed', 'the other name is on the board while the attack goes on');
  t.notMatch(shown, 'Forgotten', 'and the deleted user is not');
  t.notMatch(shown, deleted.email);
  clearInterval(attack);
  await Promise.all(sent);
});

async function untilLength<T>(list: readonly T[], length: number): Promise<readonly T[]> {
  await until(() => list.length >= length);
  return list.slice(0, length);
}
