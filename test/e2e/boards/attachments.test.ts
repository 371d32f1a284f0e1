import t from 'tap';
import { createHash, randomBytes } from 'node:crypto';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { AttachmentJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { fileForm, FILE_CONTENT, populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { filePart, multipart, MULTIPART } from '../../support/http/multipart.js';

const world = await enterWorld();
const { api, member } = world;
const as = { token: member.token };

/** Content is kept in chunks of this size. */
const CHUNK_BYTES = 64 * 1024;

/** As RFC 6266 requires: the extended form takes precedence. */
const DISPOSITION = /^attachment; filename="((?:[ !#-[\]-~]|\\["\\])*)"(?:; filename\*=UTF-8''([\w!#$&+.^`|~%-]+))?$/;

function nameIn(disposition: string): string | undefined {
  const [, plain, extended] = DISPOSITION.exec(disposition) ?? [];
  return extended === undefined ? plain?.replace(/\\(.)/g, '$1') : decodeURIComponent(extended);
}

async function upload({ card }: PopulatedBoard, content: string | Uint8Array<ArrayBuffer>): Promise<AttachmentJson> {
  const { body } = await api.request<AttachmentJson>('POST', `/cards/${card.id}/attachments`, {
    ...as,
    body: fileForm(content),
  });
  return body;
}

t.test('ATT1 an uploaded file becomes part of its card, and its event has no content', async (t) => {
  const { board, card, attachment } = await populate(world);
  const { body } = await board.play<AttachmentJson>(t, {
    as: member,
    request: `POST /cards/${card.id}/attachments`,
    body: fileForm('abc', 'photo.png', 'image/png'),
    status: 201,
    answer: { card_id: card.id, name: 'photo.png', mime_type: 'image/png', size: 3 },
    events: [emitted('attachment.created', member)],
  });
  t.strictSame((await board.card(card.id)).attachments, [attachment, body]);
});

t.test('ATT1 deleting an attachment emits its last state and removes it', async (t) => {
  const { board, attachment } = await populate(world);
  const request = `DELETE /attachments/${attachment.id}`;
  await board.play(t, {
    as: member,
    request,
    status: 204,
    events: [emitted('attachment.deleted', member, attachment.id)],
  });
  const scenes = [request, `GET /attachments/${attachment.id}`];
  await board.refuse(
    t,
    scenes.map((each): Scene => ({ as: member, request: each, status: 404 })),
  );
});

t.test('ATT1 a download returns the uploaded bytes, at every length', async (t) => {
  const populated = await populate(world);
  for (const size of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 1_000_001]) {
    const content = new Uint8Array(randomBytes(size));
    const { id, size: reported } = await upload(populated, content);
    t.equal(reported, size);
    const { status, body, headers } = await api.request<Uint8Array | undefined>('GET', `/attachments/${id}`, as);
    t.equal(status, 200);
    t.equal(headers.get('content-length'), `${size}`);
    t.equal(hash(body ?? new Uint8Array()), hash(content), `${size} bytes`);
  }
});

t.test('ATT51 a download has the stored type and name, and cannot run as a page', async (t) => {
  const { card, attachment } = await populate(world);
  const { status, headers, body } = await api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, as);
  t.equal(status, 200);
  t.equal(Buffer.from(body).toString(), FILE_CONTENT);
  t.equal(headers.get('content-type'), 'text/plain');
  t.equal(headers.get('content-disposition'), 'attachment; filename="notes.txt"');
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.match(headers.get('content-security-policy'), /(^|; )sandbox(;|$)/);
  t.equal(headers.get('accept-ranges'), 'bytes');
  t.match(headers.get('etag'), /^"[^"]+"$/);
  t.match(headers.get('cache-control'), /private/);

  const types: Array<[string, string]> = [
    ['text/html', 'text/html'],
    ['IMAGE/SVG+XML', 'image/svg+xml'],
    ['text/csv; charset=iso-8859-1; header=present', 'text/csv; charset=iso-8859-1; header=present'],
    ['Text/Plain;Charset="UTF-8"', 'text/plain;Charset="UTF-8"'],
    ['text/plain; charset=\u00e4', 'text/plain'],
    [`text/plain; x=${'y'.repeat(300)}`, 'text/plain'],
    ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
    ['no type at all', 'text/plain'],
    ['text/x\u00e4', 'text/plain'],
  ];
  for (const [given, stored] of types) {
    const part = { disposition: 'name="file"; filename="a"', type: given, content: 'x' };
    const sent = { ...as, body: multipart(part), headers: MULTIPART };
    const { body: created } = await api.request<AttachmentJson>('POST', `/cards/${card.id}/attachments`, sent);
    t.equal(created.mime_type, stored, given);
    const got = await api.request('GET', `/attachments/${created.id}`, as);
    t.equal(got.headers.get('content-type'), stored);
  }
});

t.test('ATT51 a file keeps its name, without folders, control characters, line breaks and marks of direction', async (t) => {
  const { card } = await populate(world);
  const names: Array<[string, string]> = [
    ['filename="plain name.txt"', 'plain name.txt'],
    ['filename="quo\\"te.txt"', 'quo"te.txt'],
    ['filename="semi;colon=x.txt"', 'semi;colon=x.txt'],
    ['filename="100%.txt"', '100%.txt'],
    ['filename="Grüße 日本語 😀.txt"', 'Grüße 日本語 😀.txt'],
    ['filename="(a)\'b\'*c!~.txt"', "(a)'b'*c!~.txt"],
    ['filename="x"; filename*=UTF-8\'\'%e2%82%ac%20rates.txt', '€ rates.txt'],
    ["filename*=UTF-8''line%0D%0ASet-Cookie%3A%20a%3Db%00.txt", 'lineSet-Cookie: a=b.txt'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="/etc/shadow"', 'shadow'],
    ["filename*=UTF-8''..%5C..%5Cboot.ini", 'boot.ini'],
    [`filename="${'x'.repeat(300)}"`, 'x'.repeat(255)],
    [`filename="${'😀'.repeat(300)}"`, '😀'.repeat(255)],
    ['filename=""', 'file'],
    ['filename=".."', 'file'],
    ['filename="   "', 'file'],
    ["filename*=UTF-8''.%01.", 'file'],
    ["filename*=UTF-8''invoice%E2%80%AEfdp.exe", 'invoicefdp.exe'],
    ["filename*=UTF-8''two%E2%80%A8lines.txt", 'twolines.txt'],
  ];
  for (const [given, name] of names) {
    const sent = { ...as, body: multipart(filePart('x', `name="file"; ${given}`)), headers: MULTIPART };
    const created = await api.request<AttachmentJson>('POST', `/cards/${card.id}/attachments`, sent);
    t.equal(created.status, 201, given.slice(0, 60));
    t.equal(created.body.name, name, given.slice(0, 60));
    const { headers } = await api.request('GET', `/attachments/${created.body.id}`, as);
    const disposition = headers.get('content-disposition') ?? '';
    t.match(disposition, DISPOSITION);
    t.equal(nameIn(disposition), name, disposition.slice(0, 60));
  }
});

t.test('ATT54 HEAD returns the headers of GET without content', async (t) => {
  const populated = await populate(world);
  for (const size of [0, 200_000]) {
    const path = `/attachments/${(await upload(populated, new Uint8Array(size))).id}`;
    const [head, get] = [await api.request('HEAD', path, as), await api.request('GET', path, as)];
    t.equal(head.status, 200);
    t.equal(head.body, undefined);
    for (const name of ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges']) {
      t.equal(head.headers.get(name), get.headers.get(name), name);
    }
    t.equal(head.headers.get('content-length'), `${size}`);
  }
});

t.test('ATT54 a byte range returns that part only', async (t) => {
  const content = new Uint8Array(randomBytes(200_000));
  const { id } = await upload(await populate(world), content);
  const parts: Array<[string, number, number]> = [
    ['bytes=0-0', 0, 1],
    ['bytes=0-99', 0, 100],
    [`bytes=${CHUNK_BYTES - 1}-${CHUNK_BYTES}`, CHUNK_BYTES - 1, CHUNK_BYTES + 1],
    ['bytes=60000-190000', 60_000, 190_001],
    ['bytes=199999-', 199_999, 200_000],
    ['bytes=5-', 5, 200_000],
    ['bytes=-1', 199_999, 200_000],
    ['bytes=-70000', 130_000, 200_000],
    ['bytes=-999999', 0, 200_000],
    ['bytes=100-999999', 100, 200_000],
    ['BYTES=0-9', 0, 10],
  ];
  for (const [range, from, to] of parts) {
    const { status, headers, body } = await api.request<Uint8Array>('GET', `/attachments/${id}`, {
      ...as,
      headers: { range },
    });
    t.equal(status, 206, range);
    t.equal(headers.get('content-range'), `bytes ${from}-${to - 1}/200000`);
    t.equal(headers.get('content-length'), `${to - from}`);
    t.equal(hash(body), hash(content.subarray(from, to)), range);
  }
});

t.test('ATT54 a range outside the file gets 416, a malformed range the whole file', async (t) => {
  const populated = await populate(world);
  const [{ id }, empty] = [await upload(populated, 'twelve bytes'), await upload(populated, '')];
  const get = (range: string, of = id): ReturnType<typeof api.request> => api.request('GET', `/attachments/${of}`, { ...as, headers: { range } });
  for (const range of ['bytes=12-', 'bytes=12-13', 'bytes=99999999999999-', 'bytes=-0']) {
    const { status, headers, body } = await get(range);
    t.strictSame([status, headers.get('content-range')], [416, 'bytes */12'], range);
    t.type((body as { detail: string }).detail, 'string');
  }
  t.equal((await get('bytes=0-', empty.id)).status, 416, 'nothing is in an empty file');
  const malformed = ['bytes=', 'bytes=-', 'bytes=5-2', 'bytes=a-b', 'bytes=1-2,4-5', 'lines=1-2', 'x', 'bytes=1.5-3', 'bytes=--1'];
  for (const range of malformed) {
    const { status, headers, body } = await get(range);
    t.strictSame([status, headers.get('content-range')], [200, null], range);
    t.equal(Buffer.from(body as Uint8Array).toString(), 'twelve bytes');
  }
});

t.test('ATT54 a client that has the content gets no body, and a range of other content is not mixed in', async (t) => {
  const { attachment } = await populate(world);
  const path = `/attachments/${attachment.id}`;
  const etag = (await api.request('GET', path, as)).headers.get('etag') ?? '';
  const get = (headers: Record<string, string>): ReturnType<typeof api.request> =>
    api.request('GET', path, {
      ...as,
      headers,
    });
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, body, headers } = await get({ 'if-none-match': known });
    t.strictSame([status, body, headers.get('etag')], [304, undefined, etag], known);
  }
  for (const other of ['"other"', 'garbage', etag.slice(1, -1), '""']) {
    t.equal((await get({ 'if-none-match': other })).status, 200, other);
  }
  const range = 'bytes=0-3';
  t.equal((await get({ range, 'if-range': etag })).status, 206);
  for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT', 'garbage']) {
    t.equal((await get({ range, 'if-range': other })).status, 200, `If-Range: ${other}`);
  }
  t.equal((await get({ range, 'if-none-match': etag })).status, 304, 'If-None-Match takes precedence over a range');
});

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
