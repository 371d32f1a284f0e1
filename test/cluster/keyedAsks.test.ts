/** Asks with a key between instances of neighbouring versions. */
import { readdirSync } from 'node:fs';
import { pino } from 'pino';
import t from 'tap';
import { RemoteMessages } from '../../src/cluster/asking/remoteMessages.js';
import { RemotePartitions } from '../../src/cluster/asking/remotePartitions.js';
import { RemoteServing } from '../../src/cluster/asking/remoteServing.js';
import { DIRECTORY_EFFECTS } from '../../src/domain/commands/directoryCommands.js';
import { SHARD_EFFECTS } from '../../src/partitions/repeatable.js';
import { IdSource, shardOf, boardKeyOf } from '../../src/domain/ids.js';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
import { ANSWERS_SCHEMA, sortBySchema } from '../../src/replication/replica/laterSchema.js';
import { packagePath } from '../../src/paths.js';
import { PeerRefusals } from '../../src/wire/peerRefusals.js';
import { FakeNetwork, OWNER } from '../support/cluster/fakeNetwork.js';
import { INPUTS } from '../support/store/directoryInputs.js';

const SHARDS = 16;
const ids = new IdSource();
const [board, user] = [ids.fresh(), ids.fresh()];
const SHARD: PartitionName = `shard ${shardOf(boardKeyOf(board), SHARDS)}`;
const idempotency = { key: 'a key', fingerprint: 'a fingerprint' };
const caller = { user_id: user };

const KEYED: readonly PartitionCommand[] = [
  { kind: 'keyed', command: { op: 'board.update', caller, target: board, input: { title: 'New' }, idempotency } },
  { kind: 'keyed', command: { op: 'attachment.begin', caller, target: board, input: {}, idempotency: { ...idempotency, fingerprint: null } } },
  { kind: 'answer.find', board_id: board, user_id: user, key: 'a key' },
  {
    kind: 'import',
    plan: { board_id: board, slices: [], last: Uint8Array.of(91, 93) },
    keep: { scope: user, key: 'a key', fingerprint: 'a fingerprint', body: '{}' },
  },
  { op: 'once', input: INPUTS.once },
  { op: 'once.find', input: INPUTS['once.find'] },
];

function partitionOf(command: PartitionCommand): PartitionName {
  return 'op' in command ? 'directory' : SHARD;
}

function setUp() {
  const network = new FakeNetwork();
  const log = pino({ level: 'silent' });
  const refusals = new PeerRefusals(log);
  const messages = new RemoteMessages(SHARDS);
  const asked: PartitionCommand[] = [];
  const local = {
    ask: async (_partition: string, command: PartitionCommand): Promise<unknown> => {
      asked.push(command);
      throw new Error('no answer is needed');
    },
  };
  new RemoteServing({ network, messages, local, onForgotten: () => undefined, refusals, log }).start();
  return { asked, remote: new RemotePartitions(network, messages, refusals, () => ({ id: OWNER, clockOffset: 0, remembers: true })) };
}

t.test('a command with a key arrives at another instance with all of its fields', async (t) => {
  const { asked, remote } = setUp();
  for (const command of KEYED) await remote.ask(partitionOf(command), command).catch(() => undefined);
  t.strictSame(JSON.parse(JSON.stringify(asked)), JSON.parse(JSON.stringify(KEYED)));
});

t.test('TOTP11 an instance that does not know keys refuses such a command instead of ignoring the key', async (t) => {
  const { asked, remote } = setUp();
  // As in the version before.
  for (const kind of ['keyed', 'answer.find']) Reflect.deleteProperty(SHARD_EFFECTS, kind);
  for (const op of ['once', 'once.find']) Reflect.deleteProperty(DIRECTORY_EFFECTS, op);
  for (const command of KEYED.filter((each) => !('kind' in each) || each.kind !== 'import')) {
    await t.rejects(remote.ask(partitionOf(command), command), { code: 'unavailable', detail: /not known here/, retryAfter: 5 });
  }
  t.strictSame(asked, []);
});

t.test('TOTP11 an owner that writes for an older schema refuses every command with a key, and no other', async (t) => {
  const plain: readonly PartitionCommand[] = [
    { kind: 'board', command: { op: 'board.update', caller, target: board, input: { title: 'New' } } },
    { kind: 'import', plan: { board_id: board, slices: [], last: Uint8Array.of(91, 93) } },
    { op: 'user.update', input: INPUTS['user.update'] },
  ];
  for (const [kind, schema] of Object.entries(ANSWERS_SCHEMA)) {
    const [migration] = readdirSync(packagePath('schema', kind))
      .sort()
      .slice(schema - 1);
    t.match(migration, /-answers\.sql$/, `the ${kind} has answers since then`);
  }
  for (const command of [...KEYED, ...plain]) {
    const partition = partitionOf(command);
    const ask = { id: 1, partition, command };
    const schema = ANSWERS_SCHEMA[partition === 'directory' ? 'directory' : 'shard'];
    t.strictSame(sortBySchema(partition, schema, [ask]), { allowed: [ask], refused: [] });
    const older = sortBySchema(partition, schema - 1, [ask]);
    t.strictSame(older, KEYED.includes(command) ? { allowed: [], refused: [ask] } : { allowed: [ask], refused: [] });
  }
});
