/** Ids that a client chooses with its key: what is deleted keeps its id to itself. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { boardKeyOf, idFromUuid } from '../../../src/domain/ids.js';
import type { ApiResponse } from '../../support/http/api.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { send, startWorld } from '../../support/board/boardWorld.js';
import { fileForm, populate } from '../../support/board/populatedBoard.js';
import type { TestUser } from '../../support/http/users.js';

/** Of the events that a board keeps: so few that a test can make it forget. */
const KEPT_EVENTS = 64;
const world = await startWorld(t, { EVENT_RETENTION_COUNT: String(KEPT_EVENTS) });
const { api, owner, member } = world;

interface Sent {
  readonly json?: unknown;
  readonly body?: FormData;
}

function create(as: TestUser, key: string, path: string, sent: Sent): Promise<ApiResponse<{ id: string; detail: string }>> {
  return api.request('POST', path, { token: as.token, ...sent, headers: { 'idempotency-key': key } });
}

const REFUSED = 'Idempotency-Key: something that was deleted had the id of this key; use another key';

t.test('IDEM37 a key whose id something had that was deleted is refused, for every kind and every caller', async (t) => {
  const { board, card, todo, checklist } = await populate({ ...world, owner });
  const creations: ReadonlyArray<readonly [path: string, sent: () => Sent, things: string]> = [
    [`/boards/${board.id}/columns`, () => ({ json: { title: 'A' } }), '/columns'],
    [`/boards/${board.id}/columns/${todo.id}/cards`, () => ({ json: { title: 'A' } }), '/cards'],
    [`/boards/${board.id}/labels`, () => ({ json: { name: 'A', color: 'red' } }), '/labels'],
    [`/cards/${card.id}/checklists`, () => ({ json: { title: 'A' } }), '/checklists'],
    [`/checklists/${checklist.id}/items`, () => ({ json: { content: 'A' } }), '/items'],
    [`/cards/${card.id}/attachments`, () => ({ body: fileForm() }), '/attachments'],
  ];
  for (const [path, sent, things] of creations) {
    const key = randomUUID();
    const first = await create(owner, key, path, sent());
    t.strictSame([first.status, first.body.id], [201, idFromUuid(boardKeyOf(board.id), key)], path);
    await send(world, owner, `DELETE ${things}/${first.body.id}`);
    // Of another caller, of another key with the same end, and for a thing of another kind.
    const again = await create(member, key, path, sent());
    t.strictSame([again.status, again.body.detail], [409, REFUSED], path);
    const sameEnd = `${randomUUID().slice(0, 13)}${key.slice(13)}`;
    t.equal((await create(owner, sameEnd, path, sent())).status, 409, path);
    const other = await create(member, key, `/boards/${board.id}/labels`, { json: { name: 'B', color: 'red' } });
    t.equal(other.status, 409, `a label with the id of ${path}`);
    const replayed = await create(owner, key, path, sent());
    t.strictSame([replayed.status, replayed.headers.get('idempotency-replayed')], [201, 'true'], 'the kept answer stays');
  }
  t.equal((await create(member, randomUUID(), `/boards/${board.id}/labels`, { json: { name: 'B', color: 'red' } })).status, 201);
});

t.test('IDEM37 what went with a deleted parent keeps its id to itself', async (t) => {
  const { board, todo } = await populate({ ...world, owner });
  const key = randomUUID();
  const cards = (column: string): string => `/boards/${board.id}/columns/${column}/cards`;
  const other = await send<{ id: string }>(world, owner, `POST /boards/${board.id}/columns`, { title: 'Gone soon' });
  t.equal((await create(owner, key, cards(other.id), { json: { title: 'A' } })).status, 201);
  await send(world, owner, `DELETE /columns/${other.id}`);
  t.equal((await create(member, key, cards(todo.id), { json: { title: 'B' } })).status, 409);
});

t.test('IDEM37 a deleted file keeps its id to itself when its events are forgotten: the history still names it', async (t) => {
  const { board, card, todo } = await populate({ ...world, owner });
  const key = randomUUID();
  const upload = (as: TestUser): Promise<ApiResponse<{ id: string; detail: string }>> =>
    create(as, key, `/cards/${card.id}/attachments`, { body: fileForm() });
  const { id } = (await upload(owner)).body;
  await send(world, owner, `DELETE /attachments/${id}`);
  t.equal((await upload(member)).status, 409, 'it is in the trash');
  await send(world, owner, `DELETE /boards/${board.id}/trash/${id}`);
  for (let n = 0; n < 2 * KEPT_EVENTS; n += 1) await send(world, owner, `PATCH /columns/${todo.id}`, { title: `Column ${n}` });
  const { status, body } = await upload(member);
  t.strictSame([status, body.detail], [409, REFUSED]);
});

t.test('ATT54 the tag of a file is that of its content: another file has another one', async (t) => {
  const { card } = await populate({ ...world, owner });
  const upload = async (text: string): Promise<string> => {
    const { body } = await create(owner, randomUUID(), `/cards/${card.id}/attachments`, { body: fileForm(text) });
    return `/attachments/${body.id}`;
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse<Uint8Array>> =>
    api.request('GET', path, { token: member.token, headers });
  const [one, twin, other] = [await upload('first file'), await upload('first file'), await upload('other file')];
  const etag = (await get(one)).headers.get('etag') ?? '';
  t.equal((await get(one, { 'if-none-match': etag })).status, 304);
  t.equal((await get(twin)).headers.get('etag'), etag, 'equal files have equal tags');
  const fresh = await get(other, { 'if-none-match': etag });
  t.strictSame([fresh.status, Buffer.from(fresh.body).toString()], [200, 'other file']);
  t.not(fresh.headers.get('etag'), etag);
  const part = await get(other, { range: 'bytes=5-', 'if-range': etag });
  t.strictSame([part.status, Buffer.from(part.body).toString()], [200, 'other file'], 'no part of another file');
  const own = await get(other, { range: 'bytes=6-', 'if-range': fresh.headers.get('etag') ?? '' });
  t.strictSame([own.status, Buffer.from(own.body).toString()], [206, 'file']);
});

t.test('ATT54 the files of an imported board have tags of their content', async (t) => {
  const { board, card } = await populate({ ...world, owner });
  const { body: uploaded } = await create(owner, randomUUID(), `/cards/${card.id}/attachments`, { body: fileForm('a file') });
  const tagOf = async (id: string): Promise<string | null> =>
    (await api.request('GET', `/attachments/${id}`, { token: owner.token })).headers.get('etag');
  const document = await send<object>(world, owner, `GET /boards/${board.id}/export`);
  const imported = await send<{ board: BoardJson }>(world, owner, 'POST /boards/import', document);
  const copy = await send<BoardJson>(world, owner, `GET /boards/${imported.board.id}`);
  const files = copy.columns.flatMap(({ cards }) => cards.flatMap(({ attachments }) => attachments.map(({ id }) => id)));
  t.ok((await Promise.all(files.map(tagOf))).includes(await tagOf(uploaded.id)));
});
