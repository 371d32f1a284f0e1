import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { Ask, FromThread, PartitionName } from '../../src/partitions/messages.js';
import { encodeAsks, decodeReplies } from '../../src/partitions/thread/codec.js';
import { addStats } from '../../src/partitions/health/partitionStats.js';
import type { Partition } from '../../src/partitions/runtime/partition.js';
import { servePartitions } from '../../src/partitions/thread/threadServer.js';

interface Served {
  /** The replies, message by message, at the time each partition was asked. */
  readonly repliedBefore: Map<PartitionName, number[][]>;
  ask(...asks: readonly { readonly id: number; readonly partition: PartitionName }[]): void;
  replied(): number[][];
}

/** Partitions that answer at once, some of them slowly by a manual clock, on a port that the test reads. */
function serve(t: Test, slow: readonly PartitionName[]): Served {
  const { port1: port, port2 } = new MessageChannel();
  t.teardown(() => port.close());
  const repliedBefore = new Map<PartitionName, number[][]>();
  const messages: number[][] = [];
  const replied = (): number[][] => {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      const message = next.message as FromThread;
      if (message.kind === 'settled') messages.push(decodeReplies(message.replies).map(({ id }) => id));
    }
    return [...messages];
  };
  let time = 0;
  const open = (name: PartitionName): Partition => ({
    take(asks: readonly Ask[], done) {
      repliedBefore.set(name, replied());
      if (slow.includes(name)) time += 10;
      done({ replies: asks.map(({ id }) => ({ id, outcome: { ok: true, value: null } })), notices: [] });
    },
    stats: () => addStats([]),
    probe: () => 'works',
    close: (closed) => closed(),
  });
  servePartitions(port2, { open }, () => time);
  const partitions: readonly PartitionName[] = ['shard 0', 'shard 1', 'shard 2', 'shard 3'];
  partitions.forEach((partition, n) => port2.emit('message', { kind: 'open', id: -1 - n, partition }));
  replied();
  messages.length = 0;
  const ask: Served['ask'] = (...asks) => {
    const command = { kind: 'outbox.delivered', id: 1 } as const;
    port2.emit('message', { kind: 'asks', asks: encodeAsks(asks.map((each) => ({ ...each, command }))) });
  };
  return { repliedBefore, ask, replied };
}

t.test('replies that waited one millisecond leave before the next partition is asked', (t) => {
  const { repliedBefore, ask, replied } = serve(t, ['shard 1', 'shard 3']);
  ask(
    { id: 1, partition: 'shard 0' },
    { id: 2, partition: 'shard 1' },
    { id: 3, partition: 'shard 2' },
    { id: 4, partition: 'shard 3' },
    { id: 5, partition: 'shard 1' },
  );
  t.strictSame(repliedBefore.get('shard 1'), [], 'the first had not waited yet');
  t.strictSame(repliedBefore.get('shard 2'), [[1, 2, 5]], 'all waiting replies left with the first slow one');
  t.strictSame(replied(), [
    [1, 2, 5],
    [3, 4],
  ]);
  t.end();
});

t.test('replies within one millisecond share a message', (t) => {
  const { ask, replied } = serve(t, []);
  ask({ id: 1, partition: 'shard 0' }, { id: 2, partition: 'shard 1' }, { id: 3, partition: 'shard 0' });
  t.strictSame(replied(), [[1, 3, 2]]);
  t.end();
});
