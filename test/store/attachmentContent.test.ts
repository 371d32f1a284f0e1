import { deepStrictEqual, ok } from 'node:assert/strict';
import { join } from 'node:path';
import * as fc from 'fast-check';
import t from 'tap';
import { MAX_CHUNK_BYTES } from '../../src/domain/ports/boardsPort.js';
import { crc32InScript } from '../../src/flow/crc32.js';
import { chunkChecksum, eventChecksum } from '../../src/store/shard/checksum.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { startTestApp } from '../support/service/app.js';
import { fileForm } from '../support/board/populatedBoard.js';
import { logLines } from '../support/service/logLines.js';
import { sql as sqlFile } from '../support/store/sqlFile.js';
import { newUser } from '../support/http/users.js';
import { createBoard, ids, newAttachment, NOW, sweepAll, temporaryShard } from './temporaryShard.js';

const LATER = '2030-01-02T00:00:00.000Z';

function upload(shard: Shard, id: string, chunks: readonly Uint8Array[]): void {
  shard.content.startUpload(id, NOW);
  chunks.forEach((bytes, n) => shard.content.appendChunk(id, n, bytes));
}

function attach(shard: Shard, key: string, chunks: readonly Uint8Array[]): string {
  const attachment = newAttachment(key, Buffer.concat(chunks).length);
  shard.transaction(() => {
    upload(shard, attachment.id, chunks);
    shard.write(key, [{ kind: 'attachment', put: attachment }], [], 0, NOW);
  });
  return attachment.id;
}

t.test('STORE60 any range of the content is read back exactly, with chunks of any size', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 30 }), { maxLength: 8 });
  const anyRange = fc.property(chunks, fc.nat(300), fc.nat(300), (chunks, from, length) => {
    const id = attach(shard, key, chunks);
    const pieces = shard.content.read(id, from, from + length);
    deepStrictEqual(Buffer.concat(pieces), Buffer.concat(chunks).subarray(from, from + length));
    ok(
      pieces.every((piece) => piece.length > 0),
      'an empty piece',
    );
  });
  t.doesNotThrow(() => fc.assert(anyRange, { numRuns: 100 }));
  t.end();
});

t.test('STORE60 finished content survives a restart', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const { key } = createBoard(shard);
  const id = attach(shard, key, [Buffer.alloc(MAX_CHUNK_BYTES, 1), Buffer.from([2, 3])]);
  const again = reopen();
  sweepAll(again);
  const content = Buffer.concat(again.content.read(id, 0, Number.MAX_SAFE_INTEGER));
  t.ok(content.equals(Buffer.concat([Buffer.alloc(MAX_CHUNK_BYTES, 1), Buffer.from([2, 3])])));
  t.end();
});

t.test('STORE60 a chunk out of order, too large or twice with other content is refused', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  const id = ids.onBoard(key);
  shard.transaction(() => upload(shard, id, [Buffer.from('a')]));
  const append = (n: number, bytes: Uint8Array) => () => shard.transaction(() => shard.content.appendChunk(id, n, bytes));
  t.throws(append(2, Buffer.from('c')), RangeError);
  for (const other of ['b', 'aa', '']) t.throws(append(0, Buffer.from(other)), RangeError);
  append(0, Buffer.from('a'))();
  t.throws(append(1, Buffer.alloc(MAX_CHUNK_BYTES + 1)), RangeError);
  append(1, Buffer.from('b'))();
  t.equal(Buffer.concat(shard.content.read(id, 0, 10)).toString(), 'ab');
  t.end();
});

t.test('STORE9 an attachment without its upload is refused: no record exists without content', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  const attachment = newAttachment(key, 1);
  const write = () => shard.transaction(() => shard.write(key, [{ kind: 'attachment', put: attachment }], [], 0, NOW));
  t.throws(write, { code: 'unavailable', message: /interrupted/ });
  shard.transaction(() => {
    upload(shard, attachment.id, [Buffer.from('x')]);
    shard.content.dropUpload(attachment.id);
  });
  t.throws(write, { code: 'unavailable' }, 'nor with one that was dropped');
  t.strictSame(shard.loadBoard(key)?.entities.attachment, []);
  t.end();
});

t.test('STORE9 removing an attachment deletes its content and no other', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const [gone, kept] = [attach(shard, key, [Buffer.from('gone')]), attach(shard, key, [Buffer.from('kept')])];
  shard.transaction(() => shard.write(key, [{ kind: 'attachment', remove: gone }], [], 0, NOW));
  sweepAll(shard);
  t.strictSame(sql('SELECT attachment_id FROM blob'), [[kept]]);
  t.strictSame(sql('SELECT count(*) FROM loose_blob'), [[0]]);
  t.end();
});

t.test('STORE9 an unfinished upload is swept after a restart', (t) => {
  const { shard, sql, reopen } = temporaryShard(t);
  const { key } = createBoard(shard);
  const kept = attach(shard, key, [Buffer.from('kept')]);
  const unfinished = ids.onBoard(key);
  shard.transaction(() => upload(shard, unfinished, [Buffer.from('half')]));
  const again = reopen();
  again.transaction(() => t.notOk(again.content.appendChunk(unfinished, 1, Buffer.from('x'))));
  sweepAll(again);
  t.strictSame(sql('SELECT attachment_id FROM blob'), [[kept]]);
  t.end();
});

t.test('STORE9 a dropped upload and an old one are swept; others continue', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const [dropped, old, young] = [ids.onBoard(key), ids.onBoard(key), ids.onBoard(key)];
  shard.transaction(() => {
    upload(shard, dropped, [Buffer.from('1')]);
    upload(shard, old, [Buffer.from('2')]);
    shard.content.startUpload(young, LATER);
    shard.content.appendChunk(young, 0, Buffer.from('3'));
    shard.content.dropUpload(dropped);
    t.equal(shard.content.dropUploadsBefore(LATER), 1);
  });
  sweepAll(shard);
  t.strictSame(sql('SELECT attachment_id FROM blob'), [[young]]);
  t.end();
});

t.test('STORE9 large content is deleted in steps, a part with every commit', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const id = attach(
    shard,
    key,
    Array.from({ length: 100 }, (_, n) => Buffer.from([n])),
  );
  const counts: unknown[] = [];
  const count = () => sql('SELECT count(*) FROM blob').flat()[0];
  shard.transaction(() => shard.write(key, [{ kind: 'attachment', remove: id }], [], 0, NOW));
  for (let before = count(); before !== 0; before = count()) {
    counts.push(before);
    shard.transaction(() => undefined);
    t.not(count(), before, 'each commit makes progress');
  }
  t.ok(counts.length > 1, 'but not all at once');
  t.end();
});

t.test('STORE60 a damaged chunk is never served', async (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const id = attach(shard, key, [Buffer.from('first'), Buffer.from('second')]);
  sql(`UPDATE blob SET bytes = CAST('sekond' AS BLOB) WHERE n = 1`);
  t.equal(Buffer.concat(shard.content.read(id, 0, 5)).toString(), 'first', 'the others are intact');
  t.throws(() => shard.content.read(id, 0, 11), { message: new RegExp(`chunk 1 of attachment ${id} is damaged`) });
  sql('UPDATE blob SET checksum = NULL');
  t.equal(Buffer.concat(shard.content.read(id, 0, 11)).toString(), 'firstsekond', 'without a checksum the damage is not detected');
});

t.test('STORE60 a download of damaged content fails, and the log says why', async (t) => {
  const { log, lines } = logLines();
  const app = await startTestApp(t, { SHARDS: '1' }, log);
  const { token } = await newUser(app.api);
  const post = async (path: string, json: object): Promise<string> => (await app.api.request<{ id: string }>('POST', path, { token, json })).body.id;
  const board = await post('/boards', { title: 'A board' });
  const column = await post(`/boards/${board}/columns`, { title: 'A column' });
  const card = await post(`/boards/${board}/columns/${column}/cards`, { title: 'A card' });
  const upload = { token, body: fileForm('What the file said.') };
  const { body } = await app.api.request<{ id: string }>('POST', `/cards/${card}/attachments`, upload);
  const download = async (): Promise<string> => {
    const response = await fetch(`${app.url}/attachments/${body.id}`, { headers: { authorization: `Bearer ${token}` } });
    return `${response.status} ${await response.text()}`;
  };
  t.equal(await download(), '200 What the file said.');
  sqlFile(join(app.config.dataDir, 'shard-00.sqlite'), `UPDATE blob SET bytes = CAST('What the file sayd.' AS BLOB)`);
  const damaged = await download().catch((error: unknown) => `cut off: ${String(error)}`);
  t.notMatch(damaged, /^200/);
  t.notMatch(damaged, 'sayd');
  t.equal(lines().filter(({ err }) => JSON.stringify(err ?? '').includes('checksum differs')).length, 1);
});

t.test('checksums are equal with and without the function of newer versions of Node', (t) => {
  const crc32 = crc32InScript();
  t.equal(crc32('123456789'), 0xcbf43926, 'the check value of the algorithm');
  t.equal(crc32('6789', crc32('12345')), 0xcbf43926, 'in parts');
  t.equal(eventChecksum('key', 7, NOW, 'card.moved', '{"a":"ö"}'), crc32(`key 7 ${NOW} card.moved {"a":"ö"}`));
  const bytes = Buffer.from([0, 255, 128, 7]);
  t.equal(chunkChecksum('id', 1, 65536, bytes), crc32(Buffer.concat([Buffer.from('id 1 65536 '), bytes])));
  t.end();
});
