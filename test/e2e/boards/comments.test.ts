import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import { enterWorld, send, startWorld } from '../../support/board/boardWorld.js';
import type { AttachmentJson, BoardJson, CommentJson } from '../../support/board/boardSnapshot.js';
import { fileForm, populate } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { Api } from '../../support/http/api.js';
import { startApp } from '../../../src/app.js';

interface PageJson {
  readonly comments: readonly CommentJson[];
  readonly next: string | null;
}

const world = await enterWorld();
const { api, owner, member, helper, stranger } = world;

t.test('COMMENT1 comments are written, read in pages, edited and deleted, and every client is told', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const body = `Ask @${helper.username} and @nobody`;
  const { body: first } = await board.play<CommentJson>(t, {
    as: member,
    request: `POST /cards/${card.id}/comments`,
    json: { body },
    status: 201,
    answer: { card_id: card.id, author: { id: member.id }, author_name: member.username, body, mentions: [{ id: helper.id }], text_version: 1 },
    events: [emitted('comment.created', member)],
  });
  t.equal((await board.card(card.id)).comment_count, 1);
  await board.play(t, {
    as: member,
    request: `PATCH /comments/${first.id}`,
    json: { body: '  code\n\nno one' },
    status: 200,
    answer: { id: first.id, body: '  code\n\nno one', mentions: [], text_version: 2, created_at: first.created_at },
    events: [emitted('comment.updated', member)],
  });
  await board.play(t, { as: member, request: `PATCH /comments/${first.id}`, json: {}, status: 200, answer: { text_version: 2 } });
  const second = await board.do<CommentJson>(helper, `POST /cards/${card.id}/comments`, { body: 'x'.repeat(65_536) });

  const page = await board.do<PageJson>(member, `GET /cards/${card.id}/comments?limit=1`);
  t.strictSame([page.comments.map(({ id }) => id), typeof page.next], [[second.id], 'string']);
  const rest = await board.do<PageJson>(member, `GET /cards/${card.id}/comments?before=${page.next ?? ''}`);
  t.strictSame([rest.comments.map(({ id }) => id), rest.next], [[first.id], null]);

  await board.play(t, {
    as: member,
    request: `DELETE /comments/${first.id}`,
    status: 204,
    events: [emitted('comment.deleted', member, first.id)],
  });
  await board.play(t, {
    as: owner,
    request: `DELETE /comments/${second.id}`,
    status: 204,
    events: [emitted('comment.deleted', owner, second.id)],
  });
  t.equal((await board.card(card.id)).comment_count, 0);
});

interface VersionsJson {
  readonly versions: ReadonlyArray<{ readonly version: number; readonly text: string | null; readonly user: { readonly id: string } | null }>;
  readonly next: number | null;
}

t.test('TEXT1 edits of a description and of a comment are merged or refused with the current text, and every client is told', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const request = `PATCH /cards/${card.id}`;
  const description = 'Buy milk\nCall Ann';
  const { text_version: base } = await board.do<{ text_version: number }>(member, request, { description });
  await board.do(owner, request, { description: 'Buy oat milk\nCall Ann', base });
  await board.play(t, {
    as: member,
    request,
    json: { description: 'Buy milk\nCall Ann and Bob', base },
    status: 200,
    answer: { description: 'Buy oat milk\nCall Ann and Bob', text_version: base + 2 },
    events: [emitted('card.updated', member)],
  });
  const current = { current: 'Buy oat milk\nCall Ann and Bob', text_version: base + 2 };
  await board.play(t, { as: member, request, json: { title: 'No', description: 'Buy soy milk', base }, status: 409, answer: current });
  await board.play(t, { as: member, request, json: { description: 'No', base: base + 3 }, status: 422, answer: { detail: /^base: / } });
  const batch = { operations: [{ method: 'PATCH', path: `/cards/${card.id}`, body: { description: 'Buy soy milk', base } }] };
  await board.play(t, { as: member, request: `POST /boards/${board.id}/batch`, json: batch, status: 409, answer: { detail: /^0: /, ...current } });
  const { body: remark } = { body: await board.do<CommentJson>(member, `POST /cards/${card.id}/comments`, { body: 'one\ntwo' }) };
  await board.do(member, `PATCH /comments/${remark.id}`, { body: 'ONE\ntwo', base: 1 });
  const merged = { body: 'ONE\nTWO', text_version: 3 };
  await board.play(t, {
    as: member,
    request: `PATCH /comments/${remark.id}`,
    json: { body: 'one\nTWO', base: 1 },
    status: 200,
    answer: merged,
    events: [emitted('comment.updated', member)],
  });
});

t.test('TEXT3 versions are read, restored and deleted, and who may not is refused', async (t) => {
  const { board, plainCard: card } = await populate(world);
  for (const description of ['one', 'two']) await board.do(member, `PATCH /cards/${card.id}`, { description });
  const path = `/cards/${card.id}/versions`;
  const page = await board.do<VersionsJson>(member, `GET ${path}?limit=2`);
  t.match(page, { versions: [{ text: 'two', user: { id: member.id } }, { text: 'one' }] });
  const { version } = page.versions[1] ?? { version: 0 };
  t.equal(page.next, version);
  await board.play(t, {
    as: member,
    request: `POST ${path}/${version}/restore`,
    status: 200,
    answer: { description: 'one', text_version: version + 2 },
    events: [emitted('card.updated', member)],
  });
  await board.play(t, { as: stranger, request: `GET ${path}`, status: 403 });
  await board.play(t, { as: member, request: `DELETE ${path}/${version}`, status: 403 });
  await board.play(t, { as: owner, request: `DELETE ${path}/${version}`, status: 204 });
  await board.play(t, { as: owner, request: `POST ${path}/${version}/restore`, status: 404 });
  await board.play(t, { as: owner, request: `DELETE ${path}/${version + 2}`, status: 409 });

  const remark = await board.do<CommentJson>(member, `POST /cards/${card.id}/comments`, { body: 'first' });
  await board.do(member, `PATCH /comments/${remark.id}`, { body: 'second' });
  const own = `/comments/${remark.id}/versions`;
  t.match(await board.do<VersionsJson>(owner, `GET ${own}`), { versions: [{ text: 'second' }, { text: 'first' }], next: null });
  await board.play(t, { as: helper, request: `GET ${own}`, status: 403 });
  await board.play(t, {
    as: member,
    request: `POST ${own}/1/restore`,
    status: 200,
    answer: { body: 'first', text_version: 3 },
    events: [emitted('comment.updated', member)],
  });
  await board.play(t, { as: owner, request: `DELETE ${own}/1`, status: 204 });
});

t.test('COMMENT1 rights on comments: of nobody, strangers, members, owners and keys', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const mine = await board.do<CommentJson>(member, `POST /cards/${card.id}/comments`, { body: 'Mine' });
  const list = `GET /cards/${card.id}/comments`;
  const create = { request: `POST /cards/${card.id}/comments`, json: { body: 'x' } };
  const update = { request: `PATCH /comments/${mine.id}`, json: { body: 'x' } };
  const remove = { request: `DELETE /comments/${mine.id}` };
  const all = [{ request: list }, create, update, remove];
  await board.refuse(t, [
    ...all.map((each): Scene => ({ as: null, ...each, status: 401 })),
    ...all.map((each): Scene => ({ as: stranger, ...each, status: 403, detail: /not a member/ })),
    { as: owner, ...update, status: 403, detail: /Only the author/ },
    { as: owner, ...update, json: { body: 7 }, status: 403, detail: /Only the author/ },
    { as: helper, ...update, status: 403, detail: /Only the author/ },
    { as: helper, ...remove, status: 403, detail: /author of the comment or an owner/ },
  ]);
  const elsewhere = await populate(world);
  const keys = {
    reading: await newKey(api, member, { scopes: ['read'] }),
    writing: await newKey(api, member, { scopes: ['read', 'write'], board_ids: [board.id] }),
    ofOther: await newKey(api, member, { scopes: ['read', 'write'], board_ids: [elsewhere.board.id] }),
  };
  const statusOf = async ({ request, json }: { request: string; json?: object }, token: string): Promise<number> => {
    const [method = '', path = ''] = request.split(' ');
    return (await api.request(method, path, json === undefined ? { token } : { token, json })).status;
  };
  t.equal(await statusOf({ request: list }, keys.reading.key), 200);
  for (const each of [create, update, remove]) t.equal(await statusOf(each, keys.reading.key), 403, each.request);
  for (const each of all) t.equal(await statusOf(each, keys.ofOther.key), 403, each.request);
  t.equal(await statusOf(create, keys.writing.key), 201);
  t.equal(await statusOf(update, keys.writing.key), 200);
  t.equal(await statusOf(remove, keys.writing.key), 204);
});

t.test('COMMENT1 bad input is named, and missing things are not found', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const mine = await board.do<CommentJson>(member, `POST /cards/${card.id}/comments`, { body: 'Mine' });
  const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
    [{}, /body/],
    [{ body: '' }, /body: must be 1 to 65536 characters/],
    [{ body: ' \n ' }, /body: must not be blank/],
    [{ body: 'x'.repeat(65_537) }, /body: must be 1 to 65536 characters/],
    [{ body: 7 }, /body/],
    [{ body: 'a\0b' }, /body: must not contain NUL/],
  ];
  const missing = card.id.replace(/.{12}$/, '0'.repeat(12));
  await board.refuse(t, [
    ...wrong.map(([json, detail]): Scene => ({ as: member, request: `POST /cards/${card.id}/comments`, json, status: 422, detail })),
    ...wrong.slice(1).map(([json, detail]): Scene => ({ as: member, request: `PATCH /comments/${mine.id}`, json, status: 422, detail })),
    { as: member, request: `GET /cards/${card.id}/comments?limit=0`, status: 422, detail: /limit/ },
    { as: member, request: `GET /cards/${card.id}/comments?limit=201`, status: 422, detail: /limit/ },
    { as: member, request: `GET /cards/${card.id}/comments?before=yesterday`, status: 422, detail: /before/ },
    { as: member, request: `POST /cards/${missing}/comments`, json: { body: 'x' }, status: 404, detail: /Card not found/ },
    { as: member, request: `PATCH /comments/${missing}`, json: { body: 'x' }, status: 404, detail: /Comment not found/ },
    { as: member, request: `DELETE /comments/${card.id}`, status: 404, detail: /Comment not found/ },
    { as: member, request: 'DELETE /comments/x', status: 422 },
  ]);
});

t.test('COMMENT1 a repeated request with a key comments once, and a batch comments on what it creates', async (t) => {
  const { board, todo, plainCard: card } = await populate(world);
  const headers = { 'Idempotency-Key': 'comment-once' };
  const path = `/cards/${card.id}/comments`;
  const once = await api.request<CommentJson>('POST', path, { token: member.token, json: { body: 'Once' }, headers });
  const again = await api.request<CommentJson>('POST', path, { token: member.token, json: { body: 'Once' }, headers });
  t.strictSame([once.status, again.status, again.body], [201, 201, once.body]);
  const { answers } = await board.do<{ answers: Array<{ status: number; body: CommentJson | null }> }>(member, `POST /boards/${board.id}/batch`, {
    operations: [
      { method: 'POST', path: `/boards/${board.id}/columns/${todo.id}/cards`, body: { title: 'New' } },
      { method: 'POST', path: '/cards/$0.id/comments', body: { body: 'First' } },
      { method: 'POST', path: '/cards/$0.id/comments', body: { body: 'Second' } },
      { method: 'PATCH', path: '/comments/$1.id', body: { body: 'Edited' } },
      { method: 'DELETE', path: '/comments/$2.id' },
    ],
  });
  t.strictSame(
    answers.map(({ status }) => status),
    [201, 201, 201, 200, 204],
  );
  const page = await board.do<PageJson>(member, `GET /cards/${answers[0]?.body?.id ?? ''}/comments`);
  t.match(page.comments, [{ body: 'Edited', text_version: 2 }]);
  t.equal(page.comments.length, 1);
});

t.test('TRANSFER1 comments survive an export and an import, with authors, names and times', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const kept = await board.do<CommentJson>(member, `POST /cards/${card.id}/comments`, { body: `For @${owner.username}` });
  const left = await board.do<CommentJson>(helper, `POST /cards/${card.id}/comments`, { body: 'Good bye' });
  await board.do(owner, `DELETE /boards/${board.id}/members/${helper.id}`);
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  const imported = await board.do<{ board: { id: string }; imported: { comments: number } }>(owner, 'POST /boards/import', document);
  t.equal(imported.imported.comments, 3, 'with that of the populated card');
  const copy = await board.do<{ columns: Array<{ cards: Array<{ id: string; comment_count: number }> }> }>(owner, `GET /boards/${imported.board.id}`);
  const copied = copy.columns.flatMap(({ cards }) => cards).find(({ comment_count }) => comment_count === 2);
  const { comments } = await board.do<PageJson>(owner, `GET /cards/${copied?.id ?? ''}/comments`);
  t.match(comments, [
    { body: 'Good bye', author: null, author_name: helper.username, created_at: left.created_at },
    { body: kept.body, author: { id: member.id }, author_name: member.username, mentions: [{ id: owner.id }], created_at: kept.created_at },
  ]);
});

t.test('CRASH1 comments and counts are the same after a restart, and those of a deleted card are gone', async (t) => {
  const own = await startWorld(t);
  const { board, plainCard: card } = await populate(own);
  const comment = await board.do<CommentJson>(own.member, `POST /cards/${card.id}/comments`, { body: 'Still here' });
  await own.app.close();
  const app = await startApp(own.config);
  t.teardown(() => app.close());
  const again = { ...own, app, api: await Api.connect(app.url) };
  const shown = await send<{ comment_count: number }>(again, own.member, `GET /cards/${card.id}`);
  t.equal(shown.comment_count, 1);
  t.strictSame((await send<PageJson>(again, own.member, `GET /cards/${card.id}/comments`)).comments, [comment]);
  await send(again, own.member, `DELETE /cards/${card.id}`);
  const gone = await again.api.request('DELETE', `/comments/${comment.id}`, { token: own.member.token });
  t.equal(gone.status, 404);
});

t.test('COMMENT2 a commenter uploads files to their comment, which an export, an import and a copy of the board keep with it', async (t) => {
  const { board, plainCard: card } = await populate(world);
  await board.do(owner, `PATCH /boards/${board.id}/members/${helper.id}`, { role: 'commenter' });
  const comment = await board.do<CommentJson>(helper, `POST /cards/${card.id}/comments`, { body: 'Look' });
  const { body: file } = await board.play<AttachmentJson>(t, {
    as: helper,
    request: `POST /comments/${comment.id}/attachments`,
    body: fileForm('abc', 'shot.png', 'image/png'),
    status: 201,
    answer: { card_id: card.id, comment_id: comment.id, name: 'shot.png', size: 3 },
    events: [emitted('attachment.created', helper)],
  });
  const link = await board.do<AttachmentJson>(helper, `POST /comments/${comment.id}/attachments`, { url: 'https://example.org/', title: 'A page' });
  await board.refuse(t, [
    { as: helper, request: `POST /cards/${card.id}/attachments`, body: fileForm(), status: 403, detail: /role on this board is commenter/ },
    { as: owner, request: `POST /comments/${comment.id}/attachments`, body: fileForm(), status: 403, detail: /Only the author/ },
    { as: helper, request: `POST /comments/${card.id}/attachments`, body: fileForm(), status: 404, detail: /Comment not found/ },
  ]);
  const commentsOf = async (id: string): Promise<readonly CommentJson[]> => (await board.do<PageJson>(owner, `GET /cards/${id}/comments`)).comments;
  t.match(await commentsOf(card.id), [{ id: comment.id, attachment_ids: [file.id, link.id] }]);
  const download = async (id: string): Promise<string> => {
    const { body } = await api.request<Uint8Array>('GET', `/attachments/${id}`, { token: owner.token });
    return Buffer.from(body).toString();
  };
  t.equal(await download(file.id), 'abc');
  const { board: imported } = await board.do<{ board: { id: string } }>(
    owner,
    'POST /boards/import',
    await board.do(owner, `GET /boards/${board.id}/export`),
  );
  const copied = await board.do<{ id: string }>(owner, `POST /boards/${board.id}/copy`, {
    title: 'Copy',
    comments: true,
    attachments: true,
  });
  const bare = await board.do<{ id: string }>(owner, `POST /boards/${board.id}/copy`, { title: 'Bare', attachments: true });
  for (const [id, isWithComments] of [
    [imported.id, true],
    [copied.id, true],
    [bare.id, false],
  ] as const) {
    const { columns } = await board.do<BoardJson>(owner, `GET /boards/${id}`);
    const copy = columns.flatMap(({ cards }) => cards).find(({ title }) => title === card.title);
    const [first, second] = copy?.attachments ?? [];
    t.match([first, second], [{ name: 'shot.png' }, { name: 'A page' }]);
    t.equal(await download(first?.id ?? ''), 'abc');
    const [found] = await commentsOf(copy?.id ?? '');
    t.strictSame(found?.attachment_ids, isWithComments ? [first?.id, second?.id] : undefined);
    t.equal(first?.comment_id, isWithComments ? found?.id : null);
  }
  await board.play(t, {
    as: owner,
    request: `DELETE /comments/${comment.id}`,
    status: 204,
    events: [
      emitted('attachment.deleted', owner, file.id),
      emitted('attachment.deleted', owner, link.id),
      emitted('comment.deleted', owner, comment.id),
    ],
  });
});
