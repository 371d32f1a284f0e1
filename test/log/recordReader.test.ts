import t from 'tap';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { RecordReader } from '../../src/log/recordReader.js';
import { encodeRecord, type RecordKind } from '../../src/log/records.js';

function record(after: string, kind: RecordKind, content = new Uint8Array()): Uint8Array {
  return encodeRecord({ by: 'someone', term: 1, after, kind, content });
}

t.test('REPLICA3 a copy of a program that does not know the schema of an owner stops before its first commit', async (t) => {
  const reader = new RecordReader(LOG_START, 7);
  reader.take(1, record(LOG_START.chain, { type: 'own', folder: 'a', schema: 7 }));
  const { position } = reader;
  const newer = record(position.chain, { type: 'own', folder: 'b', schema: 8 });
  t.throws(() => reader.take(2, newer), { message: /for schema 8, and this program knows 7: upgrade it/ });
  t.strictSame(reader.position, position, 'and stays where it was, for the program that knows it');
  t.equal(new RecordReader(position, 8).take(2, newer).commit, null);
});
