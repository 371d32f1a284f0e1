/** Users are deleted: what becomes of their account, their boards and their traces. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { deletedUser } from '../../../src/domain/account/user.js';
import { populate } from '../../support/board/populatedBoard.js';
import { send, startWorld } from '../../support/board/boardWorld.js';
import { expectRefusal } from '../../support/http/refusals.js';
import { newUser, register, type TestUser } from '../../support/http/users.js';
import { TestSocket } from '../../support/realtime/socket.js';
import { WITH_THREADS } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { untilResolved } from '../../support/until.js';

const world = await startWorld(t, { ...WITH_THREADS, SHARDS: '2' });
const { api, owner, helper } = world;
const root = await newUser(api);
await changeUser(world.config.dataDir, root.id, { is_superuser: true });

interface Boards {
  readonly members: ReadonlyArray<{ readonly user_id: string; readonly role: string }>;
}

function remove(user: { readonly id: string }, heir?: { readonly id: string }, options: object = { token: root.token }) {
  const query = heir === undefined ? '' : `?give_boards_to=${heir.id}`;
  return api.request<{ detail: string }>('DELETE', `/admin/users/${user.id}${query}`, options);
}

async function newBoard(by: TestUser, title = 'Board'): Promise<string> {
  return (await send<{ id: string }>(world, by, 'POST /boards', { title })).id;
}

async function membersOf(board: string, as: TestUser): Promise<string[]> {
  const { members } = await send<Boards>(world, as, `GET /boards/${board}`);
  return members.map(({ user_id, role }) => `${user_id} ${role}`);
}

async function requireMembers(board: string, expected: readonly string[]): Promise<void> {
  const members = await membersOf(board, owner);
  if (members.join() !== expected.join()) throw new Error(`the members of ${board} are ${members.join()}`);
}

t.test('DEL1 a deleted user is gone from lists, searches and logins, and every session and socket ends', async (t) => {
  const user = await newUser(api);
  const board = await newBoard(owner);
  await send(world, owner, `POST /boards/${board}/invite`, { user_id: user.id });
  const socket = await TestSocket.open(api.url, board, { token: user.token });
  await socket.find('user_joined');
  t.equal((await remove(user)).status, 204);
  t.match(await socket.closed, { code: 1008 });
  t.equal((await api.request('GET', '/auth/me', { token: user.token })).status, 401);
  t.equal((await api.request('POST', '/auth/login', { form: { username: user.email, password: user.password } })).status, 401);
  for (const path of [`/users?search=${user.username}`, `/admin/users?search=${user.email}`]) {
    t.strictSame(await send(world, root, `GET ${path}`), []);
  }
  expectRefusal(t, await api.request('GET', `/users/${user.id}`, { token: owner.token }), 404, 'User not found');
  const invite = { token: owner.token, json: { user_id: user.id } };
  expectRefusal(t, await api.request('POST', `/boards/${board}/invite`, invite), 404, 'User not found');
  t.strictSame(await membersOf(board, owner), [`${owner.id} owner`]);
  expectRefusal(t, await remove(user), 404, 'User not found');
});

t.test('DEL1 only superusers delete users, and not themselves', async (t) => {
  const user = await newUser(api);
  expectRefusal(t, await remove(user, undefined, {}), 401, /./);
  expectRefusal(t, await remove(user, undefined, { token: user.token }), 403, /superuser/i);
  expectRefusal(t, await remove(root), 409, 'You cannot delete yourself');
  expectRefusal(t, await remove({ id: randomUUID() }), 404, 'User not found');
  expectRefusal(t, await api.request('DELETE', `/admin/users/${user.id}?give_boards_to=me`, { token: root.token }), 422, /give_boards_to/);
  t.match(await send(world, user, 'GET /auth/me'), { id: user.id }, 'nothing was done');
});

t.test('DEL1 a repeated request with the same key is answered again', async (t) => {
  const user = await newUser(api);
  const options = { token: root.token, headers: { 'idempotency-key': randomUUID() } };
  t.equal((await remove(user, undefined, options)).status, 204);
  const again = await remove(user, undefined, options);
  t.strictSame([again.status, again.headers.get('idempotency-replayed')], [204, 'true']);
});

t.test('DEL2 the last owner of a board is not deleted unless an active user gets the boards', async (t) => {
  const user = await newUser(api);
  const [first, second, shared] = [await newBoard(user, 'First'), await newBoard(user, 'Second'), await newBoard(user, 'Shared')];
  await send(world, user, `POST /boards/${second}/invite`, { user_id: helper.id });
  await send(world, user, `POST /boards/${shared}/invite`, { user_id: owner.id });
  await send(world, user, `PATCH /boards/${shared}/members/${owner.id}`, { role: 'owner' });
  const refused = await remove(user);
  t.equal(refused.status, 409);
  for (const board of [first, second]) t.match(refused.body.detail, board);
  t.match(refused.body.detail, '"First"');
  t.notMatch(refused.body.detail, shared);
  const inactive = await newUser(api);
  await changeUser(world.config.dataDir, inactive.id, { is_active: false });
  for (const heir of [user, inactive, { id: randomUUID() }]) t.equal((await remove(user, heir)).status, 409);
  t.match(await send(world, user, 'GET /auth/me'), { id: user.id }, 'nothing was done');

  t.equal((await remove(user, helper)).status, 204);
  t.strictSame(await membersOf(first, helper), [`${helper.id} owner`]);
  t.strictSame(await membersOf(second, helper), [`${helper.id} owner`]);
  t.strictSame(await membersOf(shared, owner), [`${owner.id} owner`], 'and no board with another owner');
  const listed = await send<Array<{ id: string }>>(world, helper, 'GET /boards');
  t.ok([first, second].every((board) => listed.some(({ id }) => id === board)));
});

t.test('DEL3 the boards of a deleted user stay whole, and nothing on them shows the user', async (t) => {
  const { board, todo, card, item } = await populate(world);
  const user = await newUser(api, { firstname: 'Unmistakable', lastname: 'Name' });
  await send(world, owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
  const { id: own } = await send<{ id: string }>(world, user, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title: 'Theirs' });
  await send(world, owner, `PUT /cards/${card.id}/assignees`, { user_ids: [user.id] });
  await send(world, owner, `PUT /items/${item.id}/assignees`, { user_ids: [user.id] });
  const left = await newBoard(owner);
  await send(world, owner, `POST /boards/${left}/invite`, { user_id: user.id });
  await send(world, user, `DELETE /boards/${left}/members/${user.id}`);
  const history = async (id: string): Promise<string> => JSON.stringify(await send(world, owner, `GET /boards/${id}/events?since=0`));
  t.match(await history(left), 'Unmistakable');
  const witness = await TestSocket.open(api.url, board.id, { token: owner.token });
  await witness.find('user_joined');

  t.equal((await remove(user)).status, 204);
  t.match(await witness.find('board.member_removed'), { data: { user_id: user.id, user: deletedUser(user.id) } });
  t.match(witness.messages.map(({ type }) => type).slice(-3), ['card.unassigned', 'checklist_item.unassigned', 'board.member_removed']);
  const shown = JSON.stringify(await send(world, owner, `GET /boards/${board.id}`));
  for (const text of [shown, JSON.stringify(witness.messages), await history(board.id), await history(left)]) {
    for (const personal of [user.email, user.username, 'Unmistakable']) t.notMatch(text, personal);
  }
  t.match(await history(left), /"resync":true/, 'clients that were away read the board again');
  t.match(await send(world, owner, `GET /cards/${own}`), { title: 'Theirs', created_by: user.id, updated_by: user.id });
  t.match(await send(world, owner, `GET /cards/${card.id}`), { assignees: [{ id: helper.id }] });
  t.notMatch(JSON.stringify(await send(world, owner, `GET /boards/${board.id}/export`)), user.email);
});

t.test('DEL4 the names can be registered again, and the new account gets nothing of the old one', async (t) => {
  const user = await newUser(api);
  const board = await newBoard(user);
  await send(world, user, `POST /boards/${board}/invite`, { user_id: owner.id });
  t.equal((await remove(user, owner)).status, 204);
  const second = await newUser(api, { email: user.email, username: user.username });
  t.not(second.id, user.id);
  t.strictSame(await send(world, second, 'GET /boards'), []);
  expectRefusal(t, await api.request('GET', `/boards/${board}`, { token: second.token }), 403, /not a member/);
  t.equal((await api.request('GET', '/auth/me', { token: user.token })).status, 401, 'nor does the old token work');
  t.equal((await remove(second)).status, 204);
});

t.test('DEL3 a user who is invited while they are deleted is on no board in the end', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const user = await register(api);
    const boards = await Promise.all(Array.from({ length: 6 }, () => newBoard(owner)));
    const invite = (board: string) => api.request('POST', `/boards/${board}/invite`, { token: owner.token, json: { user_id: user.id } });
    const answers = await Promise.all([...boards.slice(0, 3).map(invite), remove(user), ...boards.slice(3).map(invite)]);
    t.equal(answers[3]?.status, 204);
    for (const board of boards) await untilResolved(() => requireMembers(board, [`${owner.id} owner`]));
  }
});
