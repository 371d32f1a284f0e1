import t from 'tap';
import { startApp } from '../../../src/app.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { CardJson, ColumnJson, CommentJson } from '../../support/board/boardSnapshot.js';
import { enterWorld, send, startWorld } from '../../support/board/boardWorld.js';
import { FILE_CONTENT, populate } from '../../support/board/populatedBoard.js';
import { Api } from '../../support/http/api.js';

interface TrashJson {
  readonly entries: ReadonlyArray<{ readonly id: string; readonly kind: string; readonly title: string; readonly deleted_by: string | null }>;
  readonly next: string | null;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const world = await enterWorld();
const { api, owner, member } = world;

t.test('TRASH1 a deleted card answers as deleted, and comes back with its files and comments', async (t) => {
  const { board, card, attachment, comment, checklist, item } = await populate(world);
  const before = await board.do<CardJson>(member, `GET /cards/${card.id}`);
  await board.play(t, { as: member, request: `DELETE /cards/${card.id}`, status: 204, events: [emitted('card.deleted', member, card.id)] });
  const gone = [`/cards/${card.id}`, `/cards/${card.id}/comments`, `/attachments/${attachment.id}`].map((path) => `GET ${path}`);
  await board.refuse(
    t,
    [...gone, `DELETE /comments/${comment.id}`, `DELETE /checklists/${checklist.id}`, `DELETE /items/${item.id}`].map((request): Scene => ({
      as: member,
      request,
      status: 404,
    })),
  );
  const { entries } = await board.do<TrashJson>(member, `GET /boards/${board.id}/trash`);
  t.match(entries, [{ id: card.id, kind: 'card', title: 'Full', deleted_by: member.id, expires_at: /Z$/ }, { title: 'Deleted' }]);
  const { entries: first, next } = await board.do<TrashJson>(member, `GET /boards/${board.id}/trash?limit=1`);
  t.strictSame([first.length, typeof next], [1, 'string']);
  t.match(await board.do(member, `GET /boards/${board.id}/trash?before=${next ?? ''}`), { entries: [{ title: 'Deleted' }], next: null });
  const document = JSON.stringify(await board.do(owner, `GET /boards/${board.id}/export`));
  t.notOk(document.includes('Full'), 'an export has nothing of it');

  await board.play(t, {
    as: owner,
    request: `POST /boards/${board.id}/trash/${card.id}/restore`,
    json: {},
    status: 200,
    answer: { id: card.id, kind: 'card', is_complete: true },
    events: [emitted('card.created', owner, card.id)],
  });
  t.strictSame(await board.do(member, `GET /cards/${card.id}`), before, 'the same resource');
  t.match(await board.do<{ comments: CommentJson[] }>(member, `GET /cards/${card.id}/comments`), { comments: [{ id: comment.id }] });
  t.equal(textOf((await api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: member.token })).body), FILE_CONTENT);
});

t.test('TRASH1 a label that is restored comes back to cards in the archive and in the trash', async (t) => {
  const { board, card, plainCard, label, attachment } = await populate(world);
  await board.do(member, `POST /cards/${plainCard.id}/labels/${label.id}`);
  await board.do(member, `DELETE /labels/${label.id}`);
  await board.do(member, `POST /cards/${plainCard.id}/archive`);
  await board.do(member, `DELETE /cards/${card.id}`);
  await board.do(member, `POST /boards/${board.id}/trash/${label.id}/restore`, {});
  t.match(await board.do(member, `GET /cards/${plainCard.id}`), { archived_at: /Z$/, labels: [{ id: label.id }] });
  await board.do(member, `POST /boards/${board.id}/trash/${card.id}/restore`, {});
  t.match(await board.do(member, `GET /cards/${card.id}`), { labels: [{ id: label.id }], attachments: [{ id: attachment.id }] });
  t.equal(textOf((await api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: member.token })).body), FILE_CONTENT);
});

t.test('TRASH1 bad input is refused by name, and what is not there is not found', async (t) => {
  const { board, deletedLabel, todo } = await populate(world);
  const path = `/boards/${board.id}/trash/${deletedLabel.id}`;
  await board.refuse(t, [
    { as: member, request: `GET /boards/${board.id}/trash?limit=0`, status: 422, detail: /limit/ },
    { as: member, request: `GET /boards/${board.id}/trash?before=x`, status: 422, detail: /before/ },
    { as: member, request: `POST ${path}/restore`, json: { column_id: 'x' }, status: 422, detail: /column_id/ },
    { as: member, request: `POST ${path}/restore`, json: { column_id: deletedLabel.id }, status: 404, detail: /Column/ },
    { as: member, request: `POST /boards/${board.id}/trash/${todo.id}/restore`, json: {}, status: 404 },
    { as: member, request: `DELETE ${path}`, status: 403 },
  ]);
  await board.do(owner, `DELETE ${path}`);
  await board.refuse(t, [{ as: owner, request: `POST ${path}/restore`, json: {}, status: 404 }]);
});

t.test('TRASH1 a column of hundreds of cards is deleted in several commits, and is back after a restart; with no days all of it goes', async (t) => {
  const own = await startWorld(t);
  const { board, todo, card, attachment } = await populate(own);
  for (let n = 0; n < 4; n += 1) {
    const operations = Array.from({ length: 100 }, (_, index) => ({
      method: 'POST',
      path: `/boards/${board.id}/columns/${todo.id}/cards`,
      body: { title: `${n * 100 + index}` },
    }));
    await board.do(own.member, `POST /boards/${board.id}/batch`, { operations });
  }
  const before = await board.do(own.member, `GET /boards/${board.id}`);
  await board.do(own.member, `DELETE /columns/${todo.id}`);
  t.match(await board.do(own.member, `GET /boards/${board.id}`), { columns: [{ title: 'Done' }] });
  await own.app.close();
  t.match(await checkFolder(own.config.dataDir), { problems: [] }, 'the folder is sound');
  const app = await startApp(own.config);
  const again = { ...own, app, api: await Api.connect(app.url) };
  t.match(await send(again, own.member, `POST /boards/${board.id}/trash/${todo.id}/restore`, {}), { kind: 'column', is_complete: true });
  t.strictSame(await send(again, own.member, `GET /boards/${board.id}`), before);
  t.match(await send<ColumnJson>(again, own.member, `GET /cards/${card.id}/comments`), { comments: [{}] });
  const file = await again.api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: own.member.token });
  t.equal(textOf(file.body), FILE_CONTENT);
  await send(again, own.member, `DELETE /cards/${card.id}`);
  await app.close();

  const last = await startApp({ ...own.config, trashDays: 0 });
  t.teardown(() => last.close());
  const without = { ...own, app: last, api: await Api.connect(last.url) };
  t.strictSame(await send(without, own.member, `GET /boards/${board.id}/trash`), { entries: [], next: null });
});
