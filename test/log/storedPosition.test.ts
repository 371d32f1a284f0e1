/** What the file of a copy says of its place in the log. */
import t from 'tap';
import { LOG_START, type CopyFile, type LogPosition } from '../../src/domain/ports/partitionLog.js';
import type { LogStream } from '../../src/log/logStream.js';
import { PartitionLog } from '../../src/log/partitionLog.js';
import { encodeRecord, nextChain, type RecordKind } from '../../src/log/records.js';

const NOTHING = new Uint8Array();

/** The records of an owner with these contents; an empty one only renews the lease. */
function recordsOf(contents: readonly string[]): Uint8Array[] {
  let after = LOG_START.chain;
  return contents.map((content) => {
    const body = encodeRecord({ by: 'owner', term: 0, after, kind: { type: 'commit', pieces: 1 }, content: Buffer.from(content) });
    after = nextChain(after, body);
    return body;
  });
}

/** A copy that has read all of them. */
async function follow(bodies: readonly Uint8Array[]): Promise<{ log: PartitionLog; values: string[]; stored: () => LogPosition }> {
  const values: string[] = [];
  let stored = LOG_START;
  const file: CopyFile = {
    get position() {
      return stored;
    },
    apply: (contents, position) => {
      values.push(...contents.map((content) => Buffer.from(content).toString()));
      stored = position;
    },
  };
  const records = bodies.map((body, index) => ({ seq: index + 1, body }));
  const stream: LogStream = {
    publish: async () => ({ kind: 'no answer', reason: 'it is only read' }),
    read: async (seq) => records[seq - 1] ?? null,
    readFrom: async (seq) => records.slice(seq - 1),
    bounds: async () => ({ first: 1, last: records.length }),
    listen: () => ({ stop: () => undefined }),
  };
  const log = new PartitionLog({
    stream,
    file,
    instance: 'copy',
    folder: 'folder',
    leaseMs: 1_000,
    schema: 1,
    now: () => 0,
    pause: () => Promise.resolve(),
    onError: (error) => t.fail(String(error)),
  });
  await log.start();
  return { log, values, stored: () => stored };
}

t.test('SNAPSHOT1 the position of a copy is stored when a snapshot needs it, without a commit', async (t) => {
  const { log, values, stored } = await follow(recordsOf(['a change', '', '', '']));
  t.equal(log.position.applied, 4);
  await log.storePosition();
  t.strictSame(stored(), log.position);
  t.strictSame(values, ['a change'], 'and nothing else changes');
});

t.test('a copy that halts at a broken record keeps and shows everything before it', async (t) => {
  const [first = NOTHING, second = NOTHING] = recordsOf(['a change', '']);
  const stranger = encodeRecord({ by: 'x', term: 0, after: 'f'.repeat(32), kind: { type: 'release' }, content: NOTHING });
  const { log, values, stored } = await follow([first, second, stranger]);
  t.equal(log.state, 'halted');
  t.strictSame(values, ['a change'], 'the change came in the same batch of records');
  t.equal(log.reported.applied, 2);
  t.strictSame(stored(), log.reported, 'its file says the same');
});

t.test('a record that does not end the commit of its pieces is not passed', async (t) => {
  const record = (after: string, kind: RecordKind, content: string): Uint8Array =>
    encodeRecord({ by: 'owner', term: 0, after, kind, content: Buffer.from(content) });
  const [first = NOTHING] = recordsOf(['a change']);
  const before = nextChain(LOG_START.chain, first);
  const piece = record(before, { type: 'piece', piece: 1 }, 'half');
  const end = record(nextChain(before, piece), { type: 'commit', pieces: 3 }, 'another');
  const { log, values, stored } = await follow([first, piece, end]);
  t.equal(log.state, 'halted');
  t.strictSame(values, ['a change']);
  t.equal(stored().applied, 1, 'a restart reads the pieces again');
  t.equal(log.reported.applied, 1);
});
