/** Users are deleted where several instances share the data. */
import t from 'tap';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { boardOwnedBy, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { statusOf } from '../support/http/sessions.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { TestSocket } from '../support/realtime/socket.js';
import { skipWithout } from '../support/service/programs.js';
import { changeUser } from '../support/service/operator.js';
import { untilResolved } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('DEL12', skip);

t.test('DEL1 a user who is deleted at one instance is gone at the other, and from the boards of both', async (t) => {
  const cluster = await TestCluster.start(t, 2);
  const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];
  const root = await newUser(a.api);
  await changeUser(cluster.dataDir, root.id, { is_superuser: true });
  for (const [here, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const user = await newUser(there.api);
    const shared = await boardOwnedBy(cluster, here, root);
    const boards = [shared, await boardOwnedBy(cluster, there, root), await boardOwnedBy(cluster, there, user)];
    for (const board of boards.slice(0, 2)) {
      const invited = await here.api.request('POST', `/boards/${board.id}/invite`, { token: root.token, json: { user_id: user.id } });
      t.equal(invited.status, 200);
    }
    const traces = await leaveTraces(there, user, root, shared);
    const socket = await TestSocket.join(there.url, shared.id, { id: user.id, token: user.token });
    t.equal(await statusOf(there.api, user.token), 200, 'known and cached there');

    const deleted = await here.api.request('DELETE', `/admin/users/${user.id}?give_boards_to=${root.id}`, { token: root.token });
    t.equal(deleted.status, 204);
    t.match(await socket.closed, { code: 1008 });
    t.equal(await statusOf(there.api, user.token), 401);
    for (const { id } of boards) {
      await untilResolved(async () => {
        const { body } = await there.api.request<{ members: Array<{ user_id: string; role: string }> }>('GET', `/boards/${id}`, {
          token: root.token,
        });
        const members = body.members.map(({ user_id, role }) => `${user_id} ${role}`);
        if (members.join() !== `${root.id} owner`) throw new Error(members.join());
      });
      const history = await there.api.request('GET', `/boards/${id}/events?since=0`, { token: root.token });
      t.notMatch(JSON.stringify(history.body), user.email);
    }
    t.notMatch(JSON.stringify(await traces()), user.username, 'nor do its archive, its trash and its activity');
  }
});

/** Comments and changes of the user on a card in the archive and on one in the trash. Reads them, and what comes back. */
async function leaveTraces(at: Instance, user: TestUser, owner: TestUser, { id, columnId }: ClusterBoard): Promise<() => Promise<unknown[]>> {
  const ask = async (who: TestUser, method: string, path: string, json?: object): Promise<{ id: string }> => {
    const { status, body } = await at.api.request<{ id: string }>(method, path, { token: who.token, ...(json && { json }) });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const addCard = async (): Promise<string> => {
    const card = (await ask(user, 'POST', `/boards/${id}/columns/${columnId}/cards`, { title: 'A card' })).id;
    await ask(user, 'PUT', `/cards/${card}/assignees`, { user_ids: [user.id] });
    await ask(user, 'POST', `/cards/${card}/comments`, { body: 'Mine' });
    return card;
  };
  const [archived, trashed] = [await addCard(), await addCard()];
  await ask(user, 'POST', `/cards/${archived}/archive`);
  await ask(user, 'DELETE', `/cards/${trashed}`);
  return async () => [
    await ask(owner, 'GET', `/cards/${archived}`),
    await ask(owner, 'GET', `/boards/${id}/archive`),
    await ask(owner, 'GET', `/boards/${id}/trash`),
    await ask(owner, 'POST', `/boards/${id}/trash/${trashed}/restore`, {}),
    await ask(owner, 'POST', `/cards/${archived}/restore`, {}),
    await ask(owner, 'GET', `/boards/${id}`),
    await ask(owner, 'GET', `/cards/${trashed}/comments`),
    await ask(owner, 'GET', `/cards/${archived}/comments`),
    await ask(owner, 'GET', `/boards/${id}/activity?limit=200`),
  ];
}
