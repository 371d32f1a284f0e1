import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { PartitionCommand, PartitionName } from '../../src/partitions/messages.js';
import { ThreadClient } from '../../src/partitions/thread/threadClient.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import type { StoreWork } from '../../src/storeThread.js';
import { testConfig } from '../support/service/app.js';
import { temporaryFolder } from '../support/store/folder.js';

const SHARD = 'shard 0';
const board = randomUUID();
const presence: PartitionCommand = { kind: 'presence.list', board_id: board };
const health: PartitionCommand = { op: 'health.check', input: {} };

/** As an instance of a newer version may send them. */
const UNKNOWN: ReadonlyArray<readonly [PartitionName, string, unknown]> = [
  [SHARD, 'a kind', { kind: 'board.compact', id: board }],
  [SHARD, 'a kind that every object has', { kind: 'constructor' }],
  [SHARD, 'a board operation', boardCommand('card.fold')],
  [SHARD, 'a board operation that every object has', boardCommand('toString')],
  ['directory', 'an operation', { op: 'user.forget', input: {} }],
  ['directory', 'an operation that every object has', { op: 'toString', input: {} }],
];

function boardCommand(op: string): object {
  return { kind: 'board', command: { op, caller: 'system', target: board, input: {} } };
}

for (const [partition, what, unknown] of UNKNOWN) {
  t.test(`CLUSTER54 ${what} that this version does not know is refused, and its batch is carried out`, async (t) => {
    const { thread, losses, log } = await start(t, partition);
    const known = partition === 'directory' ? health : presence;
    const [before, refused, after] = await Promise.allSettled([
      thread.ask(partition, known),
      refusalOf(thread.ask(partition, unknown as PartitionCommand)),
      thread.ask(partition, known),
    ]);
    t.match(refused, { value: { code: 'unavailable', detail: /does not know/, retryAfter: 5 } });
    t.equal(before?.status, 'fulfilled');
    t.equal(after?.status, 'fulfilled');
    t.strictSame(losses, [], 'the thread lives');
    t.strictSame(log, [], 'it is not logged as a fault');
  });
}

/** A refusal by the board is an answer. */
async function refusalOf(asked: Promise<unknown>): Promise<unknown> {
  const reply = await asked.catch((error: unknown) => error);
  return (reply as { outcome?: { error?: unknown } }).outcome?.error ?? reply;
}

async function start(t: Test, partition: PartitionName): Promise<{ thread: ThreadClient; losses: unknown[]; log: string[] }> {
  const [losses, log]: [unknown[], string[]] = [[], []];
  const config = testConfig({ DATA_DIR: await temporaryFolder(t), SHARDS: '1' });
  const { id: folder } = await prepareFolder(config);
  const work: StoreWork = { kind: partition === 'directory' ? 'directory' : 'shards', settings: { ...config, folder, replicated: null } };
  const thread = ThreadClient.start(new URL('../../src/storeThread.js', import.meta.url), work, {
    log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    onNotice: () => undefined,
    onLost: (error) => void losses.push(error),
  });
  t.teardown(() => thread.close());
  await thread.open(partition);
  return { thread, losses, log };
}
