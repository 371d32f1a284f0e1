import t from 'tap';
import { LOG_START, type CopyFile } from '../../src/domain/ports/partitionLog.js';
import type { LogStream, StoredRecord } from '../../src/log/logStream.js';
import { PartitionLog } from '../../src/log/partitionLog.js';
import { BrokenLog, RecordReader } from '../../src/log/recordReader.js';
import { decodeRecord, encodeRecord, nextChain } from '../../src/log/records.js';
import { LogSeal, SealedLog } from '../../src/log/sealedLog.js';

const ID = { partition: 'shard 0', cluster: 'cluster', generation: 1 };

/** A stream in memory. Anyone can add to it, as anyone who reaches NATS can. */
class OpenStream implements LogStream {
  readonly bodies: Uint8Array[] = [];
  first = 1;
  #listener: (record: StoredRecord) => void = () => undefined;

  async publish(body: Uint8Array, expected: number) {
    if (this.bodies.length !== expected) return { kind: 'wrong place' } as const;
    this.bodies.push(body);
    return { kind: 'stored', seq: expected + 1 } as const;
  }

  async read(seq: number): Promise<StoredRecord | null> {
    const body = seq < this.first ? undefined : this.bodies[seq - 1];
    return body === undefined ? null : { seq, body };
  }

  async readFrom(seq: number): Promise<StoredRecord[]> {
    return this.bodies.slice(seq - 1).flatMap((body, index) => (seq + index < this.first ? [] : [{ seq: seq + index, body }]));
  }

  async bounds() {
    return { first: this.first, last: this.bodies.length };
  }

  listen(onRecord: (record: StoredRecord) => void) {
    this.#listener = onRecord;
    return { stop: () => undefined };
  }

  send(record: StoredRecord): void {
    this.#listener(record);
  }
}

function sealedLog(stream: OpenStream, more: { secret?: string; generation?: number; onRefused?: () => void } = {}): SealedLog {
  return new SealedLog({ ...ID, base: 0, secret: 'shared', stream, ...more });
}

function record(after: string, text: string): Uint8Array {
  return encodeRecord({ by: 'a', term: 1, after, kind: { type: 'commit', pieces: 1 }, content: Buffer.from(text) });
}

function copyOf(stream: OpenStream): { readonly log: PartitionLog; readonly texts: string[] } {
  const texts: string[] = [];
  let position = LOG_START;
  const file: CopyFile = {
    get position() {
      return position;
    },
    apply: (commits, now) => {
      texts.push(...commits.map((commit) => Buffer.from(commit).toString()));
      position = now;
    },
  };
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const log = new PartitionLog({
    stream: sealedLog(stream),
    file,
    instance: 'copy',
    folder: 'copy',
    leaseMs: 1_000,
    schema: 1,
    now: () => performance.now(),
    pause,
    onError: (error) => t.comment(String(error)),
  });
  return { log, texts };
}

/** What was heard is read in a later turn, and compared with the log after that. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The texts that a copy reads from here on, and why it halts. */
async function follow(log: SealedLog, from = LOG_START): Promise<{ texts: string[]; halted: string | null; position: typeof LOG_START }> {
  const reader = new RecordReader(from);
  const texts: string[] = [];
  try {
    for (const { seq, body } of await log.readFrom(from.applied + 1)) texts.push(Buffer.from(reader.take(seq, body).commit ?? []).toString());
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    return { texts, halted: error.message, position: reader.position };
  }
  return { texts, halted: null, position: reader.position };
}

/** Appends commits; returns the chain after them. */
async function write(log: LogStream, after: string, first: number, ...texts: readonly string[]): Promise<string> {
  let [chain, expected] = [after, first];
  for (const text of texts) {
    const body = record(chain, text);
    t.match(await log.publish(body, expected), { kind: 'stored' });
    chain = nextChain(chain, body);
    expected += 1;
  }
  return chain;
}

t.test('RECORD5 records are unreadable in NATS, and read with the same secret only, each at its own place of its own log', async (t) => {
  const stream = new OpenStream();
  await write(sealedLog(stream), LOG_START.chain, 0, 'a secret', 'another');
  t.notOk(stream.bodies.some((body) => /secret|another|commit/.test(Buffer.from(body).toString('latin1'))));
  t.match(await follow(sealedLog(stream)), { texts: ['a secret', 'another'], halted: null });
  const wrong = /record 1 cannot be read: .*sealed with another CLUSTER_SECRET, or for another place/;
  t.match(await follow(sealedLog(stream, { secret: 'not shared' })), { texts: [], halted: wrong });
  t.match(await follow(sealedLog(stream, { generation: 2 })), { texts: [], halted: wrong }, 'nor in another generation of the log');
  stream.bodies.push(stream.bodies[1] ?? new Uint8Array());
  t.match(
    await follow(sealedLog(stream)),
    { texts: ['a secret', 'another'], halted: /record 3 cannot be read/ },
    'a copy of a record at another place',
  );
  t.throws(() => decodeRecord(stream.bodies[0] ?? new Uint8Array()), /cut off/, 'an earlier program refuses it');
});

t.test('RECORD6 a log of an earlier program is read and continued; after the first sealed record no other is believed', async (t) => {
  const stream = new OpenStream();
  const chain = await write(stream, LOG_START.chain, 0, 'old 1', 'old 2');
  const before = await follow(sealedLog(stream));
  t.match(before, { texts: ['old 1', 'old 2'], halted: null });
  const next = await write(sealedLog(stream), chain, 2, 'new');
  t.match(await follow(sealedLog(stream)), { texts: ['old 1', 'old 2', 'new'], halted: null });
  const { position } = await follow(sealedLog(stream), before.position);
  stream.bodies.push(record(next, 'forged'));
  const forged = /record 4 cannot be read: .*it is not sealed/;
  t.match(await follow(sealedLog(stream)), { texts: ['old 1', 'old 2', 'new'], halted: forged });
  t.match(await follow(sealedLog(stream), position), { texts: [], halted: forged }, 'nor by a copy that begins after the sealed one');
  stream.first = 4;
  t.match(await follow(sealedLog(stream), position), { texts: [], halted: forged }, 'nor when the sealed one was removed');
});

t.test('RECORD6 a server that lags does not make a record of an earlier program look forged', async (t) => {
  const stream = new OpenStream();
  await write(stream, LOG_START.chain, 0, 'old 1', 'old 2', 'old 3');
  const { position } = await follow(sealedLog(Object.assign(new OpenStream(), { bodies: stream.bodies.slice(0, 2) })));
  const lagging = Object.assign(new OpenStream(), { bodies: stream.bodies, read: async () => null });
  await t.rejects(sealedLog(lagging).readFrom(3), /record 2 is not at hand/, 'it is read again');
  t.match(await follow(sealedLog(stream), position), { texts: ['old 3'], halted: null });
});

t.test(
  'RECORD5 a record that an owner sealed and that was never stored does not harm a copy, and one that has applied it does not become the owner',
  async (t) => {
    const stream = new OpenStream();
    const chain = await write(sealedLog(stream), LOG_START.chain, 0, 'one', 'two');
    const never = new LogSeal('shared', ID);
    const unstored = { seq: 2, body: never.close(record(LOG_START.chain, 'never stored'), 2) };
    const copy = copyOf(stream);
    await copy.log.start();
    t.strictSame(copy.texts, ['one', 'two']);
    stream.send(unstored);
    await settled();
    t.equal(copy.log.haltReason, null, 'the log has the record of the copy');
    const next = { seq: 3, body: never.close(record(chain, 'never stored either'), 3) };
    stream.send(next);
    await settled();
    t.strictSame(copy.texts.slice(2), ['never stored either'], 'as a record of the owner it was believed');
    await write(sealedLog(stream), chain, 2, 'three');
    t.notOk(await copy.log.claim({ term: 0, schema: 1, leaseMs: 1_000 }));
    t.match(copy.log.haltReason?.message, /record 3 was another one before/, 'it cannot write');
  },
);

t.test('RECORD5 a record that was sent and not stored is ignored', async (t) => {
  const stream = new OpenStream();
  const heard: number[] = [];
  let refused = 0;
  sealedLog(stream, { onRefused: () => (refused += 1) }).listen(({ seq }) => heard.push(seq));
  const seal = new LogSeal('shared', ID);
  stream.send({ seq: 1, body: record(LOG_START.chain, 'forged') });
  stream.send({ seq: 2, body: seal.close(record(LOG_START.chain, 'moved'), 1) });
  stream.send({ seq: 1, body: seal.close(record(LOG_START.chain, 'real'), 1) });
  t.strictSame([heard, refused], [[1], 2]);
});

t.test('two records for one place are never sealed with the same key', async (t) => {
  const seal = new LogSeal('shared', ID);
  const [one, two] = [Buffer.from('one record'), Buffer.from('two record')];
  const first = seal.close(one, 7);
  t.strictSame(seal.close(one, 7), first, 'a repetition is the same');
  const saltOf = (sealed: Uint8Array): string => Buffer.from(sealed.subarray(4, 20)).toString('hex');
  t.not(saltOf(seal.close(two, 7)), saltOf(first));
  t.not(saltOf(new LogSeal('shared', ID).close(one, 7)), saltOf(first), 'nor by another process');
  t.strictSame(Buffer.from(seal.open(first, 7) ?? []), one);
});
