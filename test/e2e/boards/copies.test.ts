import t from 'tap';
import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { emitted } from '../../support/board/boardScenario.js';
import type { BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld, startWorld } from '../../support/board/boardWorld.js';
import { FILE_CONTENT, populate } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { newUser } from '../../support/http/users.js';

const world = await enterWorld();
const { api, owner, member } = world;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

type CopiedBoard = BoardJson & { readonly left_out: readonly string[] };

t.test('COPY1 a card is copied with its files and comments, once for a key', async (t) => {
  const { board, card, attachment } = await populate(world);
  const key = randomUUID();
  const copy = (as: string, json: object, idempotencyKey = key) =>
    api.request<CardJson>('POST', `/cards/${card.id}/copy`, { token: as, json, headers: { 'idempotency-key': idempotencyKey } });
  const first = await copy(member.token, { attachments: true, comments: true });
  t.equal(first.status, 201);
  t.match(first.body, { title: card.title, comment_count: 1, attachments: [{ name: attachment.name }] });
  const [file] = first.body.attachments;
  t.not(file?.id, attachment.id);
  const again = await copy(member.token, { attachments: true, comments: true });
  t.strictSame([again.status, again.body, again.headers.get('idempotency-replayed')], [201, first.body, 'true']);
  t.equal((await copy(member.token, { attachments: true })).status, 422, 'the key belongs to the other request');
  await board.do(owner, `DELETE /cards/${card.id}`);
  const { body } = await api.request<Uint8Array>('GET', `/attachments/${file?.id ?? ''}`, { token: member.token });
  t.equal(textOf(body), FILE_CONTENT, 'the file is the copy’s own');
});

t.test('COPY1 input is refused by name, and a copy without options has no file', async (t) => {
  const { board, card, todo } = await populate(world);
  await board.refuse(t, [
    { as: member, request: `POST /cards/${card.id}/copy`, json: { position: -1 }, status: 422, detail: /position/ },
    { as: member, request: `POST /cards/${card.id}/copy`, json: { attachments: 1 }, status: 422, detail: /attachments/ },
    { as: member, request: `POST /cards/${card.id}/copy`, json: { column_id: randomUUID() }, status: 404 },
    { as: member, request: `POST /columns/${todo.id}/copy`, json: { position: 'x' }, status: 422, detail: /position/ },
    { as: member, request: `POST /boards/${board.id}/copy`, json: { title: '' }, status: 422, detail: /title/ },
  ]);
  const copied = await board.do<CardJson>(member, `POST /cards/${card.id}/copy`, {});
  t.match(copied, { attachments: [], comment_count: 0 });
  await board.play(t, {
    as: member,
    request: `POST /columns/${todo.id}/copy`,
    json: { position: 0 },
    status: 201,
    answer: { title: todo.title },
    events: [emitted('column.created', member)],
  });
});

t.test('COPY2 a viewer copies a board and owns the copy, without people, comments and files', async (t) => {
  const { board } = await populate(world);
  const viewer = await newUser(api);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: viewer.id, role: 'viewer' });
  const before = await board.do<BoardJson>(owner, `GET /boards/${board.id}`);
  const made = await board.do<CopiedBoard>(viewer, `POST /boards/${board.id}/copy`, { title: 'Mine' });
  t.match(made, { title: 'Mine', left_out: [] });
  const copy = await board.do<BoardJson>(viewer, `GET /boards/${made.id}`);
  t.match(copy.members, [{ user_id: viewer.id, role: 'owner' }]);
  t.equal(copy.members.length, 1);
  t.strictSame(
    copy.columns.map(({ title, cards }) => [
      title,
      cards.map((card) => [card.title, card.assignees.length, card.attachments.length, card.comment_count]),
    ]),
    before.columns.map(({ title, cards }) => [title, cards.map((card) => [card.title, 0, 0, 0])]),
  );
  t.notOk(JSON.stringify(copy).includes(owner.email), 'nobody of the original is on it');
  t.strictSame((await board.do<BoardJson>(owner, `GET /boards/${board.id}`)).columns, before.columns, 'the original is as it was');
});

t.test('COPY2 with people, comments and files, once for a key', async (t) => {
  const own = await newUser(api);
  const { board, card, comment } = await populate({ ...world, owner: own });
  const key = randomUUID();
  const json = { title: 'All', people: true, comments: true, attachments: true };
  const copy = () => api.request<CopiedBoard>('POST', `/boards/${board.id}/copy`, { token: own.token, json, headers: { 'idempotency-key': key } });
  const [first, second] = await Promise.all([copy(), copy()]);
  const made = [first, second].find(({ status }) => status === 201);
  const again = await copy();
  t.strictSame([again.status, again.body, again.headers.get('idempotency-replayed')], [201, made?.body, 'true']);
  const whole = await board.do<BoardJson>(own, `GET /boards/${again.body.id}`);
  t.strictSame(whole.members.map(({ user_id }) => user_id).sort(), [own.id, member.id, board.world.helper.id].sort());
  const copied = whole.columns.flatMap(({ cards }) => cards).find(({ title }) => title === card.title);
  t.match(copied, { comment_count: 1, attachments: [{}] });
  t.ok((copied?.assignees.length ?? 0) > 0);
  const { body } = await api.request<Uint8Array>('GET', `/attachments/${copied?.attachments[0]?.id ?? ''}`, { token: member.token });
  t.equal(textOf(body), FILE_CONTENT, 'a member of the copy reads its file');
  t.match(await board.do(member, `GET /cards/${copied?.id ?? ''}/comments`), { comments: [{ body: comment.body, author: { id: member.id } }] });
  const lists = await board.do<readonly BoardJson[]>(own, 'GET /boards');
  t.equal(lists.filter(({ title }) => title === 'All').length, 1, 'one board was made');
});

t.test('COPY2 a key of some boards copies none', async (t) => {
  const { board } = await populate(world);
  const { key } = await newKey(api, owner, { board_ids: [board.id] });
  const { status, body } = await api.request('POST', `/boards/${board.id}/copy`, { token: key, json: { title: 'Mine' } });
  t.match([status, body], [403, { detail: /some boards/ }]);
});

t.test('COPY1 a refused copy leaves no file behind', async (t) => {
  const own = await startWorld(t, { MAX_BOARD_CARDS: '6' });
  const { board, card } = await populate(own);
  for (;;) {
    const { status } = await own.api.request('POST', `/cards/${card.id}/copy`, { token: own.member.token, json: {} });
    if (status !== 201) break;
  }
  await board.refuse(t, [
    { as: own.member, request: `POST /cards/${card.id}/copy`, json: { attachments: true }, status: 409, detail: /MAX_BOARD_CARDS/ },
  ]);
  await own.app.close();
  const files = (await readdir(own.config.dataDir)).filter((name) => /shard.*\.sqlite$/.test(name));
  const loose = files.map((name) => {
    const db = new Database(join(own.config.dataDir, name), { readonly: true });
    const count = db.prepare(`SELECT count(*) FROM loose_blob WHERE state = 'uploading'`).pluck().get();
    db.close();
    return count;
  });
  t.ok(loose.length > 0);
  t.ok(loose.every((count) => count === 0));
});

t.test('COPY2 members come along as far as the caller may add them, and a board beyond the limits is not copied', async (t) => {
  const own = await startWorld(t, { MAX_INVITES_PER_DAY: '2', MAX_BOARDS_PER_USER: '1' });
  const { board } = await populate(own);
  const guest = await newUser(own.api);
  await board.do(own.owner, `PATCH /boards/${board.id}/members/${own.member.id}`, { role: 'owner' });
  await board.do(own.member, `POST /boards/${board.id}/invite`, { user_id: guest.id });
  const copy = (json: object) => own.api.request<CopiedBoard>('POST', `/boards/${board.id}/copy`, { token: own.member.token, json });
  const made = await copy({ title: 'With people', people: true });
  t.equal(made.status, 201);
  t.ok(made.body.left_out.length > 0);
  t.match(made.body.left_out[0], /MAX_INVITES_PER_DAY/);
  t.match(await copy({ title: 'One more' }), { status: 409, body: { detail: /MAX_BOARDS_PER_USER/ } });
});
