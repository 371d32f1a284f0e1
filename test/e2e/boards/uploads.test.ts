import t from 'tap';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { recordBoard } from '../../support/realtime/boardRecorder.js';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { AttachmentJson } from '../../support/board/boardSnapshot.js';
import { startWorld } from '../../support/board/boardWorld.js';
import { WITH_THREADS } from '../../support/service/app.js';
import { fileForm, FILE_CONTENT, populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { filePart, multipart, MULTIPART } from '../../support/http/multipart.js';
import { RawConnection } from '../../support/http/rawHttp.js';
import { until } from '../../support/until.js';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

const LIMIT_BYTES = 500_000;

/** One shard, so that the tests know which file to look into. */
// Without a trash: what is deleted takes no room.
const world = await startWorld(t, { ...WITH_THREADS, SHARDS: '1', TRASH_DAYS: '0', MAX_ATTACHMENT_BYTES: `${LIMIT_BYTES}` });
const { owner, member } = world;
const SHARD_FILE = join(world.config.dataDir, 'shard-00.sqlite');

interface Stored {
  readonly attachments: number;
  /** Of all content, in use or not. */
  readonly bytes: number;
  /** Uploads under way, and content that waits to be deleted. */
  readonly orphans: number;
}

/** The content on disk, read beside the service. */
function stored(): Stored {
  const db = new Sqlite(SHARD_FILE, { readonly: true });
  try {
    const sql = `SELECT (SELECT count(*) FROM attachment) AS attachments,
      (SELECT coalesce(sum(length(bytes)), 0) FROM blob) AS bytes, (SELECT count(*) FROM loose_blob) AS orphans`;
    return db.prepare<[], Stored>(sql).get() as Stored;
  } finally {
    db.close();
  }
}

/** The service does not report unfinished uploads, so the disk is polled. */
async function storedWhen(holds: (stored: Stored) => boolean): Promise<Stored> {
  return until(() => {
    const found = stored();
    return holds(found) && found;
  }, stored);
}

function uploadHead(cardId: string, length: number): string {
  const lines = [
    `POST /cards/${cardId}/attachments HTTP/1.1`,
    'Host: test',
    `Authorization: Bearer ${member.token}`,
    `Content-Type: ${MULTIPART['content-type']}`,
    `Content-Length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const getMe = `GET /auth/me HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${member.token}\r\n\r\n`;

t.test('ATT57 a file of exactly the limit is accepted; one byte more is refused and the limit named', async (t) => {
  const { board, card } = await populate(world);
  const request = `POST /cards/${card.id}/attachments`;
  const before = stored();
  const detail = new RegExp(`\\b${LIMIT_BYTES}\\b`);
  const over = [LIMIT_BYTES + 1, LIMIT_BYTES + 65_536, 4 * LIMIT_BYTES];
  const scenes = over.map((size): Scene => ({
    as: member,
    request,
    body: fileForm(new Uint8Array(size)),
    status: 400,
    detail,
  }));
  await board.refuse(t, scenes);
  t.strictSame(stored(), before, 'no byte of the refused upload is left');
  const { body } = await board.play<AttachmentJson>(t, {
    as: member,
    request,
    body: fileForm(new Uint8Array(LIMIT_BYTES)),
    status: 201,
    answer: { size: LIMIT_BYTES },
    events: [emitted('attachment.created', member)],
  });
  t.strictSame(stored(), { ...before, attachments: before.attachments + 1, bytes: before.bytes + LIMIT_BYTES });
  await board.do(member, `DELETE /attachments/${body.id}`);
  t.strictSame(stored(), before, 'the bytes of a deleted file are freed');
});

t.test('ATT57 an upload form has exactly one file', async (t) => {
  const { board, card } = await populate(world);
  const scene = { as: member, request: `POST /cards/${card.id}/attachments`, headers: MULTIPART, status: 400 };
  const before = stored();
  const field = { disposition: 'name="file"', content: 'text' };
  const whole = multipart(filePart('abc'));
  await board.refuse(t, [
    { ...scene, body: multipart(field), detail: /exactly one file/ },
    { ...scene, body: multipart(), detail: /./ },
    { ...scene, body: '', detail: /./ },
    { ...scene, body: multipart(filePart('a'), filePart('b')), detail: /exactly one file/ },
    { ...scene, body: multipart(filePart(randomBytes(200_000)), field, filePart('b')), detail: /exactly one file/ },
    { ...scene, body: multipart(filePart('a'), filePart('b'), filePart('c')), detail: /exactly one file/ },
    { ...scene, body: whole.subarray(0, whole.length - 20), detail: /damaged or incomplete/ },
    { ...scene, body: 'not a form', detail: /./ },
    { ...scene, body: whole, headers: { 'content-type': 'multipart/form-data' }, detail: /boundary/ },
    { ...scene, body: whole, headers: { 'content-type': 'application/octet-stream' }, status: 415 },
    { ...scene, body: whole, headers: { 'content-type': 'multipart/mixed; boundary=x' }, status: 415 },
    // JSON is a link.
    { as: member, request: scene.request, json: { file: 'abc' }, status: 422, detail: /url/ },
  ]);
  t.strictSame(stored(), before);
  await board.play(t, {
    ...scene,
    body: multipart(field, filePart('abc'), field),
    status: 201,
    answer: { size: 3, name: 'a.bin' },
    events: [emitted('attachment.created', member)],
  });
});

t.test('ATT57 a connection stays usable after a refused upload', async (t) => {
  const { board, card } = await populate(world);
  await board.do(owner, `DELETE /boards/${board.id}/members/${member.id}`);
  const files: Array<[string, Uint8Array, number]> = [
    [card.id, multipart(filePart(randomBytes(400_000))), 403],
    [board.id, multipart(filePart(randomBytes(4_000_000))), 404],
    ['x', multipart(filePart('x')), 422],
  ];
  for (const [id, body, status] of files) {
    const connection = await RawConnection.open(world.app.url);
    await connection.send(uploadHead(id, body.length));
    const sending = connection.send(body);
    t.equal((await connection.response()).status, status);
    await sending;
    await connection.send(getMe);
    t.equal((await connection.response()).status, 200, 'the next request is answered');
    connection.close();
  }
});

t.test('ATT60 an aborted upload leaves nothing', async (t) => {
  const { board, card } = await populate(world);
  const before = stored();
  const body = multipart(filePart(randomBytes(450_000)));
  const recording = recordBoard(world, board.id);
  const seen = await board.look();
  for (const end of ['abort', 'close'] as const) {
    const connection = await RawConnection.open(world.app.url);
    await connection.send(uploadHead(card.id, body.length));
    await connection.send(body.subarray(0, 300_000));
    await storedWhen(({ bytes, orphans }) => orphans > before.orphans && bytes > before.bytes);
    connection[end]();
    t.strictSame(await storedWhen(({ orphans }) => orphans === before.orphans), before, `after ${end}`);
  }
  t.strictSame(await board.look(), seen);
  t.strictSame(recording.stop(), []);
});

t.test('ATT60 the state at the end of an upload decides whether it is accepted', async (t) => {
  const changes: Array<[string, (populated: PopulatedBoard) => string, status: number, kept: 0 | 1, json?: object]> = [
    ['the card is deleted', ({ card }) => `DELETE /cards/${card.id}`, 404, 0],
    ['the sender is removed', ({ board }) => `DELETE /boards/${board.id}/members/${member.id}`, 403, 1],
    ['the sender becomes a viewer', ({ board }) => `PATCH /boards/${board.id}/members/${member.id}`, 403, 1, { role: 'viewer' }],
    // Removing a board also removes its uploads, which may be noticed before they end.
    ['the board is deleted', ({ board }) => `DELETE /boards/${board.id}`, 404, 0],
  ];
  const body = multipart(filePart(randomBytes(300_000)));
  for (const [name, request, status, kept, json] of changes) {
    const before = stored();
    const populated = await populate(world);
    const connection = await RawConnection.open(world.app.url);
    await connection.send(uploadHead(populated.card.id, body.length));
    await connection.send(body.subarray(0, 200_000));
    await storedWhen(({ orphans }) => orphans > before.orphans);
    await populated.board.do(owner, request(populated), json);
    await connection.send(body.subarray(200_000));
    const response = await connection.response();
    connection.close();
    t.equal(response.status, status, name);
    const { attachments, bytes, orphans } = before;
    const expected = { attachments: attachments + kept, bytes: bytes + kept * FILE_CONTENT.length, orphans };
    // The rows of a deleted board are swept step by step.
    const isSettled = (found: Stored): boolean => found.orphans === orphans && found.attachments === expected.attachments;
    t.strictSame(await storedWhen(isSettled), expected, name);
  }
});

t.test('ATT60 large files are uploaded and downloaded in parallel while another board is read', async (t) => {
  const big = await startWorld(t);
  const megabytes = Array.from({ length: 4 }, () => new Uint8Array(randomBytes(10 * 1024 * 1024)));
  const { board, card } = await populate(big);
  const other = await populate(big);
  const expected = await other.board.look();
  const seen = await board.look();
  let transferring = true;
  const reading = (async (): Promise<number> => {
    let reads = 0;
    for (; transferring; reads += 1) t.strictSame(await other.board.look(), expected);
    return reads;
  })();
  const as = { token: big.helper.token };
  const path = `/cards/${card.id}/attachments`;
  await Promise.all(
    megabytes.map(async (content) => {
      const { status, body } = await big.api.request<AttachmentJson>('POST', path, { ...as, body: fileForm(content) });
      t.strictSame([status, body.size], [201, content.length]);
      const download = await big.api.request<Uint8Array>('GET', `/attachments/${body.id}`, as);
      t.equal(hash(download.body), hash(content));
    }),
  );
  transferring = false;
  t.ok((await reading) > 0);
  t.equal((await board.look()).seq, seen.seq + megabytes.length);
});

t.test('ATT60 after a stop the file holds the complete content of attachments and nothing else', async (t) => {
  await world.app.close();
  t.ok(stored().attachments > 0);
  const db = new Sqlite(SHARD_FILE, { readonly: true });
  const count = (sql: string): unknown => db.prepare(`SELECT count(*) ${sql}`).pluck().get();
  t.equal(count('FROM blob WHERE attachment_id NOT IN (SELECT id FROM attachment)'), 0);
  const length = 'SELECT coalesce(sum(length(bytes)), 0) FROM blob WHERE attachment_id = attachment.id';
  t.equal(count(`FROM attachment WHERE size <> (${length})`), 0);
  db.close();
});

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
