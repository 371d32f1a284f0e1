import t from 'tap';
import { FormHead } from '../../src/http/body/formHead.js';

const FIELD = 'Content-Disposition: form-data; name="note"\r\nContent-Type: text/x-note\r\n\r\nfilename= here\r\n';
const FILE = 'content-disposition: form-data; name="f"; filename="a.csv"\r\nCONTENT-TYPE:\ttext/csv; charset=x \r\n\r\n1,2';

function typeIn(contentType: string, form: string, pieceLength = form.length): string {
  const head = new FormHead(contentType);
  for (let at = 0; at < form.length; at += pieceLength) head.take(Buffer.from(form.slice(at, at + pieceLength)));
  return head.typeOfFile();
}

t.test('ATT51 the type is that of the file part, after any other parts and in any pieces', async (t) => {
  const form = `--b\r\n${FIELD}--b\r\n${FILE}`;
  for (const contentType of ['multipart/form-data; boundary=b', 'multipart/form-data;charset=x; Boundary="b"']) {
    for (const pieceLength of [1, 7, form.length]) t.equal(typeIn(contentType, form, pieceLength), 'text/csv; charset=x');
  }
});

t.test('ATT51 a file part without a type, or late in a large form, has no type', async (t) => {
  const contentType = 'multipart/form-data; boundary=b';
  t.equal(typeIn(contentType, '--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\nContent-Type: text/html'), '');
  t.equal(typeIn(contentType, `--b\r\n${FIELD}${'x'.repeat(64 * 1024)}\r\n--b\r\n${FILE}`), '');
});
