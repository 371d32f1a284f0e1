import t from 'tap';
import { AppError } from '../../src/domain/errors.js';
import { createStreams, requireAllShards } from '../../src/log/clusterStreams.js';
import { JetStreamRefusal, type JetStream, NO_STREAM } from '../../src/log/jetStream.js';

const PLAN = { prefix: 'test', partitions: ['directory', 'shard 0'], replicas: 3, secret: 'shared' };
const NO_PEERS = new JetStreamRefusal(10_005, 'no suitable peers for placement');
const NO_SPACE = new JetStreamRefusal(10_047, 'insufficient storage resources available');

/** Servers that keep streams, and fail as the test says before they do what they are asked. */
function fakeServers(failuresOf: (operation: string) => unknown): { server: JetStream; streams: Set<string> } {
  const streams = new Set<string>();
  const call = async (operation: string): Promise<unknown> => {
    const failure = failuresOf(operation);
    if (failure !== undefined) throw failure;
    const [, kind, stream = ''] = operation.split('.');
    if (kind === 'CREATE') streams.add(stream);
    else if (!streams.has(stream)) throw new JetStreamRefusal(NO_STREAM, 'stream not found');
    if (kind === 'DELETE') streams.delete(stream);
    return { created: 'now', config: { name: stream, subjects: [stream] }, state: { first_seq: 1, last_seq: 1, bytes: 1 } };
  };
  const request = async (): Promise<Uint8Array> => Buffer.from('{"seq":1}');
  return { server: { call, request } as unknown as JetStream, streams };
}

t.test('OPERATE12 the logs of a cluster are made although servers still elect a leader or find each other', async (t) => {
  const failures = new Map<string, unknown[]>([
    ['STREAM.INFO.test-log-directory', [new Error('no answer')]],
    ['STREAM.CREATE.test-snapshots', [NO_PEERS, new JetStreamRefusal(10_008, 'temporarily unavailable')]],
    ['STREAM.CREATE.test-log-shard-0', [new Error('no answer'), NO_PEERS]],
  ]);
  const { server, streams } = fakeServers((operation) => failures.get(operation)?.shift());
  t.ok(await createStreams(server, PLAN));
  t.strictSame([...failures.values()].flat(), [], 'each failure was met');
  t.equal(streams.size, 3);
});

t.test('OPERATE12 if one log cannot be made none is', async (t) => {
  const { server, streams } = fakeServers((operation) => (/CREATE.*shard/.test(operation) ? NO_SPACE : undefined));
  await t.rejects(createStreams(server, PLAN), NO_SPACE);
  t.strictSame([...streams], []);
});

t.test('LEASE33 an instance with fewer shards than a cluster of an earlier program does not take part', async (t) => {
  const { server } = fakeServers(() => undefined);
  t.ok(await createStreams(server, { ...PLAN, partitions: ['directory', 'shard 0', 'shard 1'] }));
  await t.rejects(requireAllShards(server, 'test', 1), { code: 'conflict', detail: /^SHARDS is 1, and the cluster has more/ });
  await requireAllShards(server, 'test', 2);
});

t.test('OPERATE12 a second `cluster init` refuses in one sentence, and changes nothing', async (t) => {
  const { server, streams } = fakeServers(() => undefined);
  await createStreams(server, PLAN);
  const before = [...streams];
  // A refusal that the command line foresees is printed as one line, without a stack.
  const refusal = await createStreams(server, PLAN).catch((error: unknown) => error);
  t.ok(refusal instanceof AppError);
  t.match(refusal, {
    code: 'conflict',
    message:
      'The cluster test exists already: NATS has the log of the directory, so nothing was changed; for another cluster set another NATS_PREFIX.',
  });
  t.strictSame([...streams], before);
  streams.delete('test-log-directory');
  streams.delete('test-log-shard-0');
  await t.rejects(createStreams(server, PLAN), /^The cluster test exists already: NATS has its snapshots, [^.]+\.$/, 'also if all logs are lost');
});
