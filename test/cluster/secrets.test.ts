import t from 'tap';
import { first, SHARDS, TestCluster } from '../support/cluster/cluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { changeUser } from '../support/service/operator.js';
import { PeerAttacker } from '../support/cluster/peerAttacker.js';
import { skipWithout } from '../support/service/programs.js';
import { logIn, newRegistration, newUser, register } from '../support/http/users.js';

const skip = skipWithout(await findNatsServer());

for (const [how, settings] of [
  ['a key in their folder', {}],
  ['CLUSTER_SECRET', { CLUSTER_SECRET: 'a text that is long enough to be a secret' }],
] as const) {
  t.test(`CLUSTER56 nothing that users send, and no hash, can be read in messages over NATS, with ${how}`, { skip }, async (t) => {
    const cluster = await TestCluster.start(t, 2, settings);
    const overview = await cluster.overview();
    const owner = overview.find(({ owns }) => owns.includes('directory'));
    const outsider = first(cluster.running.filter(({ pid }) => pid !== owner?.pid));
    const listener = await PeerAttacker.connect(t, cluster.nats.url, cluster.dataDir, SHARDS);
    const received: Buffer[] = [];
    const subjects: string[] = [];
    listener.listen((subject, bytes) => {
      subjects.push(subject);
      received.push(Buffer.from(bytes));
    });
    await listener.flush();

    const [password, newPassword] = ['the first Passw0rd of Eve', 'the second Passw0rd of Eve'];
    const { email, id } = await register(outsider.api, newRegistration({ password }));
    const token = await logIn(outsider.api, email, password);
    const json = { current_password: password, new_password: newPassword };
    t.equal((await outsider.api.request('POST', '/auth/change-password', { token, json })).status, 200);
    t.ok(await logIn(outsider.api, email, newPassword), 'the new password is valid');
    await t.rejects(logIn(outsider.api, email, password), /401/, 'and the old one is not');
    await changeUser(cluster.dataDir, id, { firstname: 'Eve' });
    await newUser(outsider.api);
    await listener.flush();

    const all = Buffer.concat(received);
    t.ok(
      subjects.some((subject) => subject.endsWith('.ask')) && subjects.some((subject) => subject.includes('.inbox.')),
      'asks and answers were received',
    );
    for (const secret of ['$argon2', 'argon2', 'hashed_password', 'user.create', email, password, newPassword, 'Passw0rd']) {
      t.notOk(all.includes(secret), `${secret} is not in them`);
      t.notOk(all.includes(Buffer.from(secret).toString('base64').slice(0, 8)), 'nor in base64');
    }
  });
}
