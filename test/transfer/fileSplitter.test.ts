import t from 'tap';
import { FileSplitter, type FileSink } from '../../src/transfer/fileSplitter.js';

/** Keeps files in memory and marks them by their numbers. */
class Kept implements FileSink {
  readonly files: Buffer[] = [];
  ended = 0;

  async begin(): Promise<string> {
    this.files.push(Buffer.alloc(0));
    return String(this.files.length - 1);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.files.push(Buffer.concat([this.files.pop() ?? Buffer.alloc(0), bytes]));
  }

  async end(): Promise<void> {
    this.ended += 1;
  }
}

async function split(text: string, piece: number): Promise<{ text: string; files: string[]; ended: number }> {
  const sink = new Kept();
  const splitter = new FileSplitter(sink, 10_000);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) await splitter.push(bytes.subarray(at, at + piece));
  return { text: Buffer.concat(splitter.finish()).toString(), files: sink.files.map(String), ended: sink.ended };
}

t.test('TRANSFER13 files are split from a document wherever its pieces end', async (t) => {
  const slash = Buffer.from([0xff, 0xff, 0xff]).toString('base64');
  const document = [
    '{"a":"content_base64","é\\"content_base64":"kept","x":{"content_base64" : "aGVsbG8="}',
    `,"content_base64":"${slash.replaceAll('/', '\\/')}","list":["content_base64","content_base64"]`,
    ',"content_base64x":"kept","xcontent_base64":"kept","y":{"content_base64":null,"z":"\\\\"},"w":{"content_base64":""}}',
  ].join('');
  const expected = document
    .replace('"aGVsbG8="', '"0"')
    .replace(`"${slash.replaceAll('/', '\\/')}"`, '"1"')
    .replace('{"content_base64":""}', '{"content_base64":"2"}');
  for (const piece of [1, 2, 3, 5, 7, 1_000]) {
    const outcome = await split(document, piece);
    t.equal(outcome.text, expected, `in pieces of ${piece}`);
    t.strictSame(outcome.files, ['hello', String(Buffer.from([0xff, 0xff, 0xff])), '']);
    t.equal(outcome.ended, 3);
  }
});

t.test('TRANSFER13 the files of a document are not held in memory', async (t) => {
  const splitter = new FileSplitter(new Kept(), 10_000);
  const piece = Buffer.from('{"content_base64":"aGVsbG8=","a":1}');
  await splitter.push(piece);
  piece.fill('!');
  t.equal(Buffer.concat(splitter.finish()).toString(), '{"content_base64":"0","a":1}');
});

t.test('TRANSFER5 invalid Base64 is refused, not repaired', async (t) => {
  for (const content of ['a', 'abc', 'ab=c', 'ab==cdef', '====', 'a b=', 'aGVs\\nbG8=', 'abc*']) {
    await t.rejects(split(`{"content_base64":"${content}"}`, 1), { code: 'malformed' }, `${content} in single bytes`);
    await t.rejects(split(`{"content_base64":"${content}"}`, 99), { code: 'malformed' }, `${content} at once`);
  }
});

t.test('TRANSFER5 the part of a document besides its files is bounded in bytes', async (t) => {
  await t.rejects(split(`{"a":"${'x'.repeat(10_000)}"}`, 100), { code: 'too_large' });
  const { files } = await split(`{"content_base64":"${'eHh4'.repeat(10_000)}"}`, 100);
  t.equal(files[0]?.length, 30_000, 'files do not count');
});
