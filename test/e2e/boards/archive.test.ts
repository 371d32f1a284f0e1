import t from 'tap';
import { startApp } from '../../../src/app.js';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { ArchiveJson, CardJson, ColumnJson, CommentJson } from '../../support/board/boardSnapshot.js';
import { enterWorld, send, startWorld } from '../../support/board/boardWorld.js';
import { FILE_CONTENT, fileForm, populate } from '../../support/board/populatedBoard.js';
import { Api } from '../../support/http/api.js';

interface StatsJson {
  readonly label_id: string;
  readonly card_count: number;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const world = await enterWorld();
const { api, owner, member, helper } = world;

t.test('ARCHIVE1 a card leaves the board for the archive and comes back with everything on it', async (t) => {
  const {
    board,
    card: { id },
    todo,
    plainCard,
    label,
    comment,
    attachment,
  } = await populate(world);
  const before = await board.card(id);
  const { body: archived } = await board.play<CardJson>(t, {
    as: member,
    request: `POST /cards/${id}/archive`,
    status: 200,
    answer: { id, column_id: todo.id, title: 'Full', updated_by: member.id, labels: [{ id: label.id }], assignees: [{ id: helper.id }] },
    events: [emitted('card.archived', member, id)],
  });
  t.match(archived, {
    archived_at: /^\d{4}-.*Z$/,
    checklists: [{ items: [{ content: 'First' }, { content: 'Second' }] }, {}],
    attachments: [{ id: attachment.id }],
  });
  const full = await board.do<{ columns: ColumnJson[] }>(member, `GET /boards/${board.id}`);
  t.strictSame(
    full.columns.flatMap(({ cards }) => cards.map((each) => each.id)),
    [plainCard.id],
    'the board has the other card',
  );
  const stats = await board.do<StatsJson[]>(member, `GET /boards/${board.id}/labels/stats`);
  t.equal(stats.find(({ label_id }) => label_id === label.id)?.card_count, 0, 'statistics ignore it');

  t.strictSame(await board.do(member, `GET /cards/${id}`), archived, 'it is read as it was');
  t.match((await board.do<{ comments: CommentJson[] }>(member, `GET /cards/${id}/comments`)).comments, [{ id: comment.id }]);
  const file = await api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: member.token });
  t.strictSame([file.status, textOf(file.body)], [200, FILE_CONTENT]);
  const list = await board.do<ArchiveJson>(member, `GET /boards/${board.id}/archive`);
  t.strictSame([list.cards[0], list.cards.length, list.next], [archived, 2, null], 'the latest first');

  const { body: restored } = await board.play<CardJson>(t, {
    as: owner,
    request: `POST /cards/${id}/restore`,
    json: {},
    status: 200,
    answer: { id, archived_at: null, column_id: todo.id, rank: before.rank, updated_by: owner.id },
    events: [emitted('card.restored', owner, id)],
  });
  t.strictSame({ ...restored, updated_at: '', updated_by: '' }, { ...before, updated_at: '', updated_by: '' });
  t.notMatch((await board.do<ArchiveJson>(member, `GET /boards/${board.id}/archive`)).cards, [{ id }]);
  t.equal((await board.do<{ comments: CommentJson[] }>(member, `GET /cards/${id}/comments`)).comments.length, 1);
  t.equal(textOf((await api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: member.token })).body), FILE_CONTENT);
});

t.test('ARCHIVE1 other changes of what is archived are refused with 409, and a wrong order with 409 too', async (t) => {
  const { board, card, done, plainCard, label, unusedLabel, checklist, item, attachment, comment } = await populate(world);
  const { id } = card;
  const missing = id.replace(/.{12}$/, '0'.repeat(12));
  await board.refuse(t, [
    { as: member, request: `POST /cards/${id}/restore`, json: {}, status: 409, detail: /not archived/ },
    { as: member, request: `POST /columns/${done.id}/restore`, json: {}, status: 409, detail: /not archived/ },
    { as: member, request: `POST /cards/${missing}/archive`, status: 404, detail: /Card not found/ },
  ]);
  await board.do(member, `POST /cards/${id}/archive`);
  const conflict = { as: member, status: 409, detail: /The card is archived/ } as const;
  await board.refuse(t, [
    { ...conflict, request: `POST /cards/${id}/archive` },
    { ...conflict, request: `PATCH /cards/${id}`, json: { title: 'New' } },
    { ...conflict, request: `POST /cards/${id}/move`, json: { column_id: done.id } },
    { ...conflict, request: `PUT /cards/${id}/assignees`, json: { user_ids: [member.id] } },
    { ...conflict, request: `DELETE /cards/${id}/assignees/${helper.id}` },
    { ...conflict, request: `POST /cards/${id}/labels/${unusedLabel.id}` },
    { ...conflict, request: `DELETE /cards/${id}/labels/${label.id}` },
    { ...conflict, request: `POST /cards/${id}/checklists`, json: { title: 'New' } },
    { ...conflict, request: `PATCH /checklists/${checklist.id}`, json: { title: 'New' } },
    { ...conflict, request: `DELETE /checklists/${checklist.id}` },
    { ...conflict, request: `POST /checklists/${checklist.id}/items`, json: { content: 'New' } },
    { ...conflict, request: `PATCH /items/${item.id}`, json: { is_done: true } },
    { ...conflict, request: `DELETE /items/${item.id}` },
    { ...conflict, request: `DELETE /attachments/${attachment.id}` },
    { ...conflict, request: `POST /cards/${id}/comments`, json: { body: 'New' } },
    { ...conflict, request: `PATCH /comments/${comment.id}`, json: { body: 'New' } },
    { ...conflict, request: `DELETE /comments/${comment.id}` },
    { as: owner, request: `PATCH /comments/${comment.id}`, json: { body: 'New' }, status: 403, detail: /Only the author/ },
    { as: world.stranger, request: `PATCH /cards/${id}`, json: { title: 'New' }, status: 403, detail: /not a member/ },
    { as: member, request: `PATCH /cards/${id}`, json: { title: 7 }, status: 422, detail: /title/ },
    { as: member, request: `DELETE /checklists/${id}`, status: 404, detail: /Checklist not found/ },
    { as: member, request: `POST /cards/${id}/restore`, json: { column_id: missing }, status: 404, detail: /Column not found/ },
    { as: member, request: `POST /cards/${id}/restore`, json: { position: -1 }, status: 422, detail: /position/ },
    { as: member, request: `GET /boards/${board.id}/archive?kind=label`, status: 422, detail: /kind/ },
    { as: member, request: `GET /boards/${board.id}/archive?limit=0`, status: 422, detail: /limit/ },
    { as: member, request: `GET /boards/${board.id}/archive?before=then`, status: 422, detail: /before/ },
    { as: member, request: `GET /boards/${board.id}/archive?q=%20`, status: 422, detail: /q: must be 1 to 100 characters/ },
    { as: member, request: `GET /boards/${board.id}/archive?q=${'x'.repeat(101)}`, status: 422, detail: /q: must be 1 to 100 characters/ },
    { as: world.stranger, request: `GET /boards/${board.id}/archive?q=full`, status: 403, detail: /not a member/ },
  ] satisfies Scene[]);
  const upload = await api.request('POST', `/cards/${id}/attachments`, { token: member.token, body: fileForm() });
  t.equal(upload.status, 409);
  await board.play(t, { as: member, request: `DELETE /cards/${id}`, status: 204, events: [emitted('card.deleted', member, id)] });
  for (const path of [`/cards/${id}`, `/attachments/${attachment.id}`, `/cards/${id}/comments`]) {
    t.equal((await api.request('GET', path, { token: member.token })).status, 404, path);
  }
  t.ok(await board.card(plainCard.id), 'the other card stays');
});

t.test('ARCHIVE1 what is in the archive is read: activity, versions of description and comments, and whether it is watched', async (t) => {
  const { board, card, comment, archivedColumn } = await populate(world);
  const paths = [
    `/cards/${card.id}/activity`,
    `/cards/${card.id}/watch`,
    `/cards/${card.id}/versions`,
    `/comments/${comment.id}/versions`,
    `/cards/${card.id}/comments`,
  ];
  const before = await Promise.all(paths.map((path) => board.do<object>(member, `GET ${path}`)));
  await board.do(member, `POST /cards/${card.id}/archive`);
  const after = await Promise.all(paths.map((path) => board.do<object>(member, `GET ${path}`)));
  t.match((after[0] as { activity: unknown[] }).activity[0], { kind: 'card.archived' });
  t.strictSame(after.slice(1), before.slice(1));
  t.match(await board.do(owner, `GET /columns/${archivedColumn.id}/watch`), { watching: Boolean });
  t.match(after[3], {
    versions: [
      { version: 2, text: 'Remark' },
      { version: 1, text: 'Remrak' },
    ],
  });
  const refused = { status: 403, detail: /Only the author/ } as const;
  await board.refuse(t, [{ ...refused, as: helper, request: `GET /comments/${comment.id}/versions` }]);
});

t.test('ARCHIVE1 what a restored card refers to is on the board', async (t) => {
  const { board, card, todo, done, label } = await populate(world);
  await board.do(member, `POST /cards/${card.id}/archive`);
  await board.do(owner, `DELETE /labels/${label.id}`);
  await board.do(owner, `DELETE /boards/${board.id}/members/${helper.id}`);
  t.match(await board.do<CardJson>(member, `GET /cards/${card.id}`), { labels: [], assignees: [] });
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: helper.id });
  t.strictSame((await board.do<CardJson>(member, `GET /cards/${card.id}`)).assignees, [], 'who comes back is not assigned again');
  await board.do(owner, `DELETE /columns/${todo.id}`);
  const restored = await board.do<CardJson>(member, `POST /cards/${card.id}/restore`, {});
  t.match(restored, { column_id: done.id, labels: [], assignees: [], completed_at: String }, 'last in the last column, which completes it');
  t.strictSame(
    restored.checklists.flatMap(({ items }) => items.flatMap(({ assignees }) => assignees)),
    [],
  );
  t.strictSame(await board.card(card.id), restored);
});

t.test('ARCHIVE1 a column leaves and comes back with its cards', async (t) => {
  const { board, todo, done, card, plainCard, rule } = await populate(world);
  const before = await board.do<{ columns: ColumnJson[] }>(member, `GET /boards/${board.id}`);
  await board.do(owner, `PATCH /automations/${rule.id}`, { trigger_column_id: todo.id, is_enabled: true });
  const alone = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title: 'Alone' });
  await board.do(member, `POST /cards/${alone.id}/archive`);
  await board.play(t, {
    as: member,
    request: `POST /columns/${todo.id}/archive`,
    status: 200,
    answer: { id: todo.id, card_count: 2, cards: [], archived_at: /Z$/ },
    events: [emitted('column.archived', member, todo.id)],
  });
  t.match(await board.do(member, `GET /boards/${board.id}`), { columns: [{ id: done.id, cards: [] }] });
  t.match(await board.do(member, `GET /boards/${board.id}/automations`), [{ trigger_column_id: null, is_enabled: false }]);
  t.match(await board.do(member, `GET /cards/${card.id}`), { id: card.id, archived_at: /Z$/ });
  const refused = { as: member, status: 409, detail: /The column is archived/ } as const;
  await board.refuse(t, [
    { ...refused, request: `POST /cards/${card.id}/restore`, json: {} },
    { ...refused, request: `PATCH /cards/${card.id}`, json: { title: 'New' } },
    { ...refused, request: `PATCH /columns/${todo.id}`, json: { title: 'New' } },
    { ...refused, request: `POST /columns/${todo.id}/archive` },
    { ...refused, request: `POST /boards/${board.id}/columns/${todo.id}/cards`, json: { title: 'New' } },
  ]);
  const list = await board.do<ArchiveJson>(member, `GET /boards/${board.id}/archive`);
  t.match(
    [list.cards, list.columns],
    [
      [{ id: alone.id }, {}],
      [{ id: todo.id, card_count: 2, cards: [] }, {}],
    ],
  );
  t.match(await board.do<ArchiveJson>(member, `GET /boards/${board.id}/archive?kind=column`), { cards: [], columns: [{ id: todo.id }, {}] });
  await board.do(member, `DELETE /cards/${plainCard.id}`);
  const { body } = await board.play<ColumnJson>(t, {
    as: member,
    request: `POST /columns/${todo.id}/restore`,
    json: {},
    status: 200,
    answer: { id: todo.id, archived_at: null },
    events: [emitted('column.restored', member, todo.id)],
  });
  t.strictSame(
    body.cards,
    before.columns[0]?.cards.filter(({ id }) => id !== plainCard.id),
    'with the card that was not deleted',
  );
  t.match(await board.do(member, `GET /boards/${board.id}`), { columns: [{ id: todo.id }, { id: done.id }] }, 'at its old place');
  await board.do(member, `POST /columns/${todo.id}/archive`);
  await board.play(t, { as: member, request: `DELETE /columns/${todo.id}`, status: 204, events: [emitted('column.deleted', member, todo.id)] });
  t.equal((await api.request('GET', `/cards/${card.id}`, { token: member.token })).status, 404);
  t.match(await board.do(member, `POST /cards/${alone.id}/restore`, {}), { column_id: done.id });
});

t.test('ARCHIVE1 the archive is read in pages, goes with a batch, and counts in the limits of the board', async (t) => {
  const { board, todo, card } = await populate(world);
  const ids: string[] = [];
  for (const title of ['one', 'two', 'three']) {
    const { id } = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title });
    await board.do(member, `POST /boards/${board.id}/batch`, { operations: [{ method: 'POST', path: `/cards/${id}/archive` }] });
    ids.push(id);
  }
  const pages: string[] = [];
  let before: string | null = null;
  do {
    const query: string = before === null ? 'limit=1' : `limit=1&before=${before}`;
    const page: ArchiveJson = await board.do<ArchiveJson>(member, `GET /boards/${board.id}/archive?${query}`);
    pages.push(...page.cards.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  t.strictSame(pages.slice(0, 3), ids.reverse(), 'the latest first');
  t.equal(pages.length, 4, 'with the card of the populated board');
  const { answers } = await board.do<{ answers: Array<{ status: number; body: CardJson }> }>(member, `POST /boards/${board.id}/batch`, {
    operations: [
      { method: 'POST', path: `/cards/${card.id}/archive` },
      { method: 'POST', path: '/cards/$0.id/restore', body: { position: 0 } },
      { method: 'PATCH', path: `/cards/${card.id}`, body: { title: 'Again' } },
    ],
  });
  t.match(answers, [{ body: { archived_at: /Z$/ } }, { body: { archived_at: null } }, { body: { title: 'Again' } }]);
});

t.test('ARCHIVE2 the archive is searched by a part of the title or the description, in any case', async (t) => {
  const { board, todo, done } = await populate(world);
  const archive = async (card: object): Promise<string> => {
    const { id } = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, card);
    await board.do(member, `POST /cards/${id}/archive`);
    return id;
  };
  const titled = await archive({ title: 'ÜBERSICHT of the year' });
  const described = await archive({ title: 'Plain', description: 'An übersicht is in here' });
  await archive({ title: 'Another', description: null });
  await board.do(owner, `PATCH /columns/${done.id}`, { title: 'Übersicht done' });
  await board.do(member, `POST /columns/${done.id}/archive`);
  const search = (query: string): Promise<ArchiveJson> => board.do<ArchiveJson>(member, `GET /boards/${board.id}/archive?${query}`);
  const found = await search(`q=${encodeURIComponent('  übersicht ')}`);
  t.strictSame(
    [found.cards.map(({ id }) => id), found.columns.map(({ id }) => id), found.next],
    [[described, titled], [done.id], null],
    'the latest first',
  );
  t.match(await search('q=%C3%BCbersicht&kind=column'), { cards: [], columns: [{ id: done.id }] });
  t.strictSame(await search('q=nowhere'), { cards: [], columns: [], next: null });
  const first = await search('q=%C3%BCbersicht&kind=card&limit=1');
  t.match(first, { cards: [{ id: described }] });
  t.match(await search(`q=%C3%BCbersicht&kind=card&limit=1&before=${first.next ?? ''}`), { cards: [{ id: titled }] });
});

t.test('TRANSFER1 the archive survives an export and an import, files and comments included', async (t) => {
  const { board, card, todo, done } = await populate(world);
  const inside = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${done.id}/cards`, { title: 'Inside' });
  await board.do(member, `POST /cards/${card.id}/attachments`, { url: 'https://example.org/plan' });
  const archived = await board.do<CardJson & { archived_at: string }>(member, `POST /cards/${card.id}/archive`);
  await board.do(member, `POST /columns/${done.id}/archive`);
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  const { board: copy } = await board.do<{ board: { id: string } }>(owner, 'POST /boards/import', document);
  t.match(await board.do(owner, `GET /boards/${copy.id}`), { columns: [{ title: todo.title, cards: [{ title: 'Plain' }] }] });
  const list = await board.do<ArchiveJson>(owner, `GET /boards/${copy.id}/archive`);
  t.match(list.columns, [{ title: done.title, card_count: 1 }, {}]);
  t.match(list.cards, [
    { title: 'Full', archived_at: archived.archived_at, labels: [{ name: 'urgent' }], comment_count: 1, checklists: [{ items: [{}, {}] }, {}] },
  ]);
  t.match(list.cards[0]?.attachments, [{ url: null }, { url: 'https://example.org/plan' }]);
  const file = list.cards[0]?.attachments[0]?.id ?? '';
  t.equal(textOf((await api.request<Uint8Array>('GET', `/attachments/${file}`, { token: owner.token })).body), FILE_CONTENT);
  const restored = await board.do<ColumnJson>(owner, `POST /columns/${list.columns[0]?.id ?? ''}/restore`, {});
  t.match(restored.cards, [{ title: inside.title }]);
  t.match(await board.do(owner, `POST /cards/${list.cards[0]?.id ?? ''}/restore`, {}), { title: 'Full', assignees: [{ id: helper.id }] });
});

t.test('CRASH1 the archive is the same after a restart, and a restore brings back the card', async (t) => {
  const own = await startWorld(t);
  const { board, card, attachment } = await populate(own);
  const archived = await board.do<CardJson>(own.member, `POST /cards/${card.id}/archive`);
  await own.app.close();
  const app = await startApp(own.config);
  t.teardown(() => app.close());
  const again = { ...own, app, api: await Api.connect(app.url) };
  t.strictSame((await send<ArchiveJson>(again, own.member, `GET /boards/${board.id}/archive`)).cards[0], archived);
  t.match(await send(again, own.member, `GET /boards/${board.id}`), { columns: [{ cards: [{ title: 'Plain' }] }, { cards: [] }] });
  const restored = await send<CardJson>(again, own.member, `POST /cards/${card.id}/restore`, {});
  t.match(restored, { id: card.id, attachments: [{ id: attachment.id }] });
  const file = await again.api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: own.member.token });
  t.equal(textOf(file.body), FILE_CONTENT);
});
