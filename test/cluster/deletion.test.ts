/** Users are deleted where several instances share the data. */
import t from 'tap';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { boardOwnedBy } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { statusOf } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';
import { TestSocket } from '../support/realtime/socket.js';
import { skipWithout } from '../support/service/programs.js';
import { changeUser } from '../support/service/operator.js';
import { untilResolved } from '../support/until.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) {
  t.pass('DEL12', { skip });
  process.exit(0);
}

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
    const boards = [await boardOwnedBy(cluster, here, root), await boardOwnedBy(cluster, there, root), await boardOwnedBy(cluster, there, user)];
    for (const board of boards.slice(0, 2)) {
      const invited = await here.api.request('POST', `/boards/${board.id}/invite`, { token: root.token, json: { user_id: user.id } });
      t.equal(invited.status, 200);
    }
    const socket = await TestSocket.join(there.url, boards[0]?.id ?? '', { id: user.id, token: user.token });
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
  }
});
