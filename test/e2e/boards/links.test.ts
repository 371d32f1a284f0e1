import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { AttachmentJson, BoardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { member, owner, stranger, api } = world;

t.test('ATT1 a link is attached as JSON, with its address or a title as its name', async (t) => {
  const { board, card } = await populate(world);
  const scene = { as: member, request: `POST /cards/${card.id}/attachments`, status: 201, events: [emitted('attachment.created', member)] };
  const common = { card_id: card.id, size: 0, mime_type: 'text/uri-list' };
  await board.play(t, {
    ...scene,
    json: { url: 'https://Example.org/a b' },
    answer: { ...common, name: 'https://example.org/a%20b', url: 'https://example.org/a%20b' },
  });
  await board.play(t, {
    ...scene,
    json: { url: 'http://example.org', title: ' Site ' },
    answer: { ...common, name: 'Site', url: 'http://example.org/' },
  });
  const files = (await board.card(card.id)).attachments;
  t.strictSame(
    files.map(({ url }) => url),
    [null, 'https://example.org/a%20b', 'http://example.org/'],
  );
  const { id } = files[1] as AttachmentJson;
  const answer = await fetch(`${world.app.url}/attachments/${id}`, { headers: { authorization: `Bearer ${member.token}` }, redirect: 'manual' });
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), 'text/uri-list');
  t.match(answer.headers.get('content-security-policy'), 'sandbox');
  t.equal(await answer.text(), 'https://example.org/a%20b\r\n');
  await board.refuse(t, [{ as: stranger, request: `GET /attachments/${id}`, status: 403 }]);
  await board.play(t, { as: member, request: `DELETE /attachments/${id}`, status: 204, events: [emitted('attachment.deleted', member, id)] });
});

t.test('ATT1 anything but an address of the web is refused by the name of the field', async (t) => {
  const { board, card } = await populate(world);
  const urls = [
    '',
    'example.org',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.org/',
    'file:///etc/passwd',
    '//example.org',
    'https://',
    7,
    null,
    `https://example.org/${'x'.repeat(2_048)}`,
    `https://example.org/${'ä'.repeat(500)}`,
  ];
  const scene: Scene = { as: member, request: `POST /cards/${card.id}/attachments`, status: 422 };
  await board.refuse(t, [
    ...urls.map((url): Scene => ({ ...scene, json: { url }, detail: /url/ })),
    { ...scene, json: {}, detail: /url/ },
    { ...scene, json: { url: 'https://example.org/', title: '' }, detail: /title/ },
    { ...scene, as: stranger, json: { url: 'x' }, status: 403 },
  ]);
});

t.test('IDEM1 a link with a key is attached once', async (t) => {
  const { board, card } = await populate(world);
  const request = { token: member.token, json: { url: 'https://example.org/' }, headers: { 'idempotency-key': crypto.randomUUID() } };
  const [first, second] = [
    await api.request<AttachmentJson>('POST', `/cards/${card.id}/attachments`, request),
    await api.request<AttachmentJson>('POST', `/cards/${card.id}/attachments`, request),
  ];
  t.strictSame([first.status, second.body], [201, first.body]);
  t.equal((await board.card(card.id)).attachments.length, 2);
});

t.test('TRANSFER1 links survive an export and an import', async (t) => {
  const { board, card } = await populate(world);
  await board.do(member, `POST /cards/${card.id}/attachments`, { url: 'https://example.org/', title: 'Site' });
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  const imported = await board.do<{ board: { id: string }; left_out: string[] }>(owner, 'POST /boards/import', document);
  t.strictSame(imported.left_out, []);
  const copy = await board.do<BoardJson>(owner, `GET /boards/${imported.board.id}`);
  t.match(copy.columns[0]?.cards[0]?.attachments, [
    { url: null },
    { url: 'https://example.org/', name: 'Site', size: 0, mime_type: 'text/uri-list' },
  ]);
});
