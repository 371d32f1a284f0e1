import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { parseEnv, promisify } from 'node:util';
import { connect, type NatsConnection } from 'nats';
import t, { type Test } from 'tap';
import { natsOptions } from '../../src/nats/natsOptions.js';
import { packagePath } from '../../src/paths.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findNatsServer, RECOMMENDED_NATS, REPLICATION_NATS } from '../support/cluster/natsServer.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { temporaryFolder } from '../support/store/folder.js';

const run = promisify(execFile);
const CONFIG = packagePath('deploy', 'nats-cluster.conf');
/** How long an answer may take on a busy machine. */
const ANSWER_MS = 15_000;
/** After this time a message counts as not refused. */
const SILENCE_MS = 2_000;

/** Servers elect more slowly on a busy machine. */

const oldest = await findNatsServer({ atLeast: REPLICATION_NATS });

for (const version of [REPLICATION_NATS, RECOMMENDED_NATS]) {
  const nats = await findNatsServer({ atLeast: version });

  t.test(`DEPLOY14 nats-server from ${version} on accepts nats-cluster.conf`, { skip: skipWithout(nats) }, async (t) => {
    const program = pathOf(nats);
    const env: NodeJS.ProcessEnv = { ...(await environmentFile()), SWITCHBOARD_NATS_STORE: await temporaryFolder(t) };
    await run(program, ['-c', CONFIG, '-t'], { env });
    for (const name of Object.keys(env)) {
      const { [name]: _, ...incomplete } = env;
      await t.rejects(run(program, ['-c', CONFIG, '-t'], { env: incomplete }), { message: new RegExp(`'${name}'`) }, `without ${name}`);
    }
  });
}

t.test('DEPLOY14 the compose file and the unit set exactly the variables that nats-cluster.conf reads', async (t) => {
  const wanted = variablesIn(/\$(SWITCHBOARD_NATS_[A-Z_]+)/g, await readFile(CONFIG, 'utf8'));
  t.equal(wanted.length, 9);
  const compose = await readFile(packagePath('deploy', 'compose.machines.yaml'), 'utf8');
  t.strictSame(variablesIn(/^ +(SWITCHBOARD_NATS_[A-Z_]+):/gm, compose), wanted);
  const unit = await readFile(packagePath('deploy', 'systemd', 'nats-cluster.service'), 'utf8');
  const inUnit = variablesIn(/^Environment=(SWITCHBOARD_NATS_[A-Z_]+)=/gm, unit);
  t.strictSame([...inUnit, ...Object.keys(await environmentFile())].sort(), wanted);
});

t.test('DEPLOY14 the user "monitor" reads the state of all servers and can do nothing else', { skip: skipWithout(oldest) }, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(oldest));
  const connection = await connectAsMonitor(t, cluster);

  const states = await connection.requestMany('$SYS.REQ.SERVER.PING.VARZ', '', { maxMessages: 3, maxWait: ANSWER_MS });
  const found: Array<{ readonly id: string; readonly name: string; readonly syncAlways: boolean }> = [];
  for await (const message of states) {
    const { server, data } = message.json<{
      server: { id: string; name: string };
      data: { jetstream: { config: { sync_always?: boolean } } };
    }>();
    found.push({ id: server.id, name: server.name, syncAlways: data.jetstream.config.sync_always ?? false });
  }
  t.strictSame(found.map(({ name }) => name).sort(), ['machine-0', 'machine-1', 'machine-2']);
  t.ok(
    found.every(({ syncAlways }) => syncAlways),
    'and whether they flush each record',
  );

  for (const request of ['RELOAD', 'KICK', 'LDM']) {
    await t.resolves(refusal(connection, `$SYS.REQ.SERVER.${found[0]?.id}.${request}`), request);
  }
  await t.resolves(refusal(connection, '$JS.API.META.LEADER.STEPDOWN'), 'another leader');
  await t.resolves(refusal(connection, '$JS.API.SERVER.REMOVE'), 'another server');
  await t.rejects(refusal(connection, '$SYS.REQ.SERVER.PING', SILENCE_MS), /was not refused/, 'an allowed request, for comparison');
});

async function connectAsMonitor(t: Test, cluster: NatsCluster): Promise<NatsConnection> {
  const connection = await connect(natsOptions(cluster.systemUrls[0] ?? '', 'test'));
  t.teardown(() => connection.close());
  return connection;
}

/** Resolves when the server has refused the message. */
async function refusal(connection: NatsConnection, subject: string, patienceMs = ANSWER_MS): Promise<void> {
  const statuses = connection.status()[Symbol.asyncIterator]();
  const late = rejectAfter(patienceMs, `${subject} was not refused`);
  connection.publish(subject, '{}');
  try {
    for (;;) {
      const { value, done } = await Promise.race([statuses.next(), late.promise]);
      if (done === true) throw new Error('the connection was closed');
      if (value.permissionContext?.subject === subject) return;
    }
  } finally {
    late.cancel();
  }
}

function rejectAfter(ms: number, reason: string): { readonly promise: Promise<never>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(reason)), ms);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}

async function environmentFile(): Promise<Record<string, string>> {
  return parseEnv(await readFile(packagePath('deploy', 'nats-cluster.env'), 'utf8')) as Record<string, string>;
}

function variablesIn(pattern: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
}
