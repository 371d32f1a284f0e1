import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { ChunkWriter } from '../../src/api/operations/transfer/chunkWriter.js';
import { StagedFiles } from '../../src/api/operations/transfer/stagedFiles.js';
import { IdSource } from '../../src/domain/ids.js';
import { MAX_CHUNK_BYTES, type ContentPort } from '../../src/domain/ports/boardsPort.js';
import { ContentClient } from '../../src/partitions/clients/boardClients.js';
import { rejectionOf } from '../support/rejection.js';

const MAX_UNDER_WAY = 4;

/** Keeps every chunk waiting until the test settles it. */
class SlowContent implements ContentPort {
  readonly sent: number[] = [];
  readonly lengths: number[] = [];
  readonly #waiting = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();

  async start(): Promise<boolean> {
    return true;
  }

  async drop(): Promise<void> {}

  async read(): Promise<Uint8Array> {
    return new Uint8Array();
  }

  append(_id: string, n: number, bytes: Uint8Array): Promise<void> {
    this.sent.push(n);
    this.lengths.push(bytes.length);
    return new Promise((resolve, reject) => this.#waiting.set(n, { resolve, reject }));
  }

  get underWay(): number {
    return this.#waiting.size;
  }

  async settle(n: number, failure?: Error): Promise<void> {
    const waiting = this.#waiting.get(n);
    this.#waiting.delete(n);
    if (failure === undefined) waiting?.resolve();
    else waiting?.reject(failure);
    await nextTurn();
  }
}

/** Appends chunks as an upload does, one after the other, and returns the result. */
async function appendAll(writer: ChunkWriter, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await writer.append(Buffer.from([n]));
  await writer.finish();
}

t.test('ATT60 a few chunks are under way at once, in order, and finishing waits for the last', async (t) => {
  const content = new SlowContent();
  let isDone = false;
  const all = appendAll(new ChunkWriter(content, 'a file'), 10).then(() => (isDone = true));
  await nextTurn();
  for (let n = 0; n < 10; n += 1) {
    t.equal(content.underWay, Math.min(MAX_UNDER_WAY, 10 - n));
    t.strictSame(
      content.sent,
      Array.from({ length: Math.min(n + MAX_UNDER_WAY, 10) }, (_, index) => index),
    );
    t.notOk(isDone);
    await content.settle(n);
  }
  await all;
});

t.test('ATT60 the first failure of any chunk is the answer and stops the rest', async (t) => {
  const [first, second] = [new Error('first'), new Error('second')];
  for (const failing of [0, 2]) {
    const content = new SlowContent();
    const writer = new ChunkWriter(content, 'a file');
    const rejection = rejectionOf(appendAll(writer, 10));
    await nextTurn();
    await content.settle(failing, first);
    t.equal(await rejection, first);
    for (const n of [1, 3]) await content.settle(n, second);
    t.equal(await rejectionOf(writer.append(Buffer.from('more'))), first);
    t.equal(await rejectionOf(writer.finish()), first);
    t.strictSame(content.sent, [0, 1, 2, 3], 'nothing is sent after it');
  }
});

t.test('ATT60 a failure during the wait for the last chunks is the answer too', async (t) => {
  const content = new SlowContent();
  const rejection = rejectionOf(appendAll(new ChunkWriter(content, 'a file'), 2));
  await nextTurn();
  const failure = new Error('the last');
  await content.settle(1, failure);
  t.equal(await rejection, failure);
});

t.test('ATT60 the files of an import are stored the same way', async (t) => {
  const content = new SlowContent();
  const ids = new IdSource();
  const files = new StagedFiles({ content, ids, boardId: ids.fresh(), maxBytes: 100 * MAX_CHUNK_BYTES });
  await files.begin();
  const all = (async () => {
    await files.write(new Uint8Array(5 * MAX_CHUNK_BYTES + 1));
    await files.end();
  })();
  await nextTurn();
  t.equal(content.underWay, MAX_UNDER_WAY);
  for (let n = 0; n < 6; n += 1) await content.settle(n);
  await all;
  t.strictSame(content.sent, [0, 1, 2, 3, 4, 5]);
  t.strictSame(content.lengths, [...Array<number>(5).fill(MAX_CHUNK_BYTES), 1]);
  t.match(files.received, [{ kind: 'stored', size: 5 * MAX_CHUNK_BYTES + 1 }]);
});

t.test('HOSTILE30 chunks are sent in memory that is used again, and not after a failure', async (t) => {
  const blocks: ArrayBufferLike[] = [];
  const ends: Array<(error: Error | null) => void> = [];
  const ask = (_shard: string, command: object): Promise<unknown> => {
    const { bytes } = command as { bytes: Uint8Array };
    t.equal(bytes.buffer.byteLength, MAX_CHUNK_BYTES, 'without the rest of the buffer in which it arrived');
    blocks.push(bytes.buffer);
    return new Promise((resolve, reject) => ends.push((error) => (error === null ? resolve(Buffer.from(bytes)) : reject(error))));
  };
  const content = new ContentClient({ send: ask });
  const id = new IdSource().fresh();
  const arrived = Buffer.alloc(3 * MAX_CHUNK_BYTES, 'abc');
  const append = (n: number): Promise<void> => content.append(id, n, arrived.subarray(n * MAX_CHUNK_BYTES, n * MAX_CHUNK_BYTES + 1_000 + n));
  const first = [append(0), append(1)];
  await nextTurn();
  t.equal(new Set(blocks).size, 2, 'two that are under way do not share it');
  t.ok(
    blocks.every((block, n) =>
      Buffer.from(block)
        .subarray(0, 1_000 + n)
        .equals(arrived.subarray(n * MAX_CHUNK_BYTES, n * MAX_CHUNK_BYTES + 1_000 + n)),
    ),
  );
  ends[0]?.(null);
  ends[1]?.(new Error('no answer'));
  await first[0];
  await rejectionOf(first[1] ?? Promise.resolve());
  const later = [append(2), append(0)];
  await nextTurn();
  t.equal(blocks[2], blocks[0], 'the block of an answered chunk');
  t.not(blocks[3], blocks[1], 'a store thread may still read the other');
  for (const end of ends.slice(2)) end(null);
  await Promise.all(later);
});

t.test('HOSTILE30 chunks of all uploads together are sent a few at a time, and boards take turns', async (t) => {
  const sent: string[] = [];
  const ends: Array<() => void> = [];
  const ask = (_shard: string, command: object): Promise<unknown> => {
    sent.push((command as { id: string }).id.slice(0, 8));
    return new Promise((resolve) => ends.push(() => resolve(null)));
  };
  const content = new ContentClient({ send: ask });
  const ids = new IdSource();
  const boards = Array.from({ length: 10 }, () => ids.fresh());
  const chunk = new Uint8Array(1);
  const appends = boards.flatMap((id) => Array.from({ length: 4 }, (_, n) => content.append(id, n, chunk)));
  const late = ids.fresh();
  appends.push(content.append(late, 0, chunk));
  await nextTurn();
  t.equal(sent.length, 16);
  for (let settled = 0; settled < appends.length; settled += 1) {
    ends[settled]?.();
    await nextTurn();
  }
  await Promise.all(appends);
  const place = sent.indexOf(late.slice(0, 8));
  t.ok(place > 0 && place <= 16 + boards.length, `the board that came last is number ${place} of ${sent.length}`);
});
