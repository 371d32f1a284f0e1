/** Asks with a key between instances of neighbouring versions. */
import { pino } from 'pino';
import t from 'tap';
import { RemoteMessages } from '../../src/cluster/asking/remoteMessages.js';
import { RemotePartitions } from '../../src/cluster/asking/remotePartitions.js';
import { RemoteServing } from '../../src/cluster/asking/remoteServing.js';
import { DIRECTORY_EFFECTS } from '../../src/domain/directory/decide.js';
import { SHARD_EFFECTS } from '../../src/partitions/repeatable.js';
import { IdSource, shardOf, boardKeyOf } from '../../src/domain/ids.js';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
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
  return { asked, remote: new RemotePartitions(network, messages, refusals, () => ({ id: OWNER, clockOffset: 0 })) };
}

t.test('a command with a key arrives at another instance with all of its fields', async (t) => {
  const { asked, remote } = setUp();
  for (const command of KEYED) await remote.ask(partitionOf(command), command).catch(() => undefined);
  t.strictSame(JSON.parse(JSON.stringify(asked)), JSON.parse(JSON.stringify(KEYED)));
});

t.test('TOTP11 an instance that does not know keys refuses such a command instead of ignoring the key', async (t) => {
  const { asked, remote } = setUp();
  // As in a version without them.
  for (const [table, names] of [
    [SHARD_EFFECTS, ['keyed', 'answer.find']],
    [DIRECTORY_EFFECTS, ['once', 'once.find']],
  ] as const) {
    const whole = { ...table };
    t.teardown(() => Object.assign(table, whole));
    for (const name of names) Reflect.deleteProperty(table, name);
  }
  for (const command of KEYED.filter((each) => !('kind' in each) || each.kind !== 'import')) {
    await t.rejects(remote.ask(partitionOf(command), command), { code: 'unavailable', detail: /not known here/, retryAfter: 5 });
  }
  t.strictSame(asked, []);
});
