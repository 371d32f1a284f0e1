import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { AttachmentJson, BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { member, owner, api } = world;

async function attachPicture(card: string): Promise<AttachmentJson> {
  const form = new FormData();
  form.append('file', new Blob(['pixels'], { type: 'image/png' }), 'a.png');
  return (await api.request<AttachmentJson>('POST', `/cards/${card}/attachments`, { token: owner.token, body: form })).body;
}

t.test('NUMBER1 a card gets a picture or a colour as its cover, and loses it with the picture', async (t) => {
  const { board, card } = await populate(world);
  const { id } = await attachPicture(card.id);
  const scene = { as: member, request: `PATCH /cards/${card.id}`, status: 200, events: [emitted('card.updated', member)] };
  for (const cover of [{ color: 'teal' }, null, { attachment_id: id }]) await board.play(t, { ...scene, json: { cover }, answer: { cover } });
  await board.play(t, {
    as: member,
    request: `DELETE /attachments/${id}`,
    status: 204,
    events: [emitted('attachment.deleted', member, id), emitted('card.updated', member, card.id)],
  });
  t.equal((await board.card(card.id)).cover, null);
});

t.test('NUMBER1 what is no cover is refused by the name of the field', async (t) => {
  const { board, card, attachment } = await populate(world);
  const wrong: ReadonlyArray<[unknown, RegExp]> = [
    ['teal', /cover: must have either/],
    [{}, /cover: must have either/],
    [{ color: 'teal', attachment_id: attachment.id }, /cover/],
    [{ color: 'url(https://example.org/)' }, /cover/],
    [{ color: null }, /cover/],
    [{ attachment_id: 'x' }, /cover/],
    [{ attachment_id: attachment.id }, /cover\.attachment_id: must be a picture/],
    [[], /cover/],
  ];
  await board.refuse(
    t,
    wrong.map(([cover, detail]): Scene => ({ as: member, request: `PATCH /cards/${card.id}`, status: 422, json: { cover }, detail })),
  );
});

t.test('TRANSFER1 covers survive an export and an import', async (t) => {
  const { board, card, plainCard } = await populate(world);
  const { id } = await attachPicture(card.id);
  await board.do(member, `PATCH /cards/${card.id}`, { cover: { attachment_id: id } });
  await board.do(member, `PATCH /cards/${plainCard.id}`, { cover: { color: '#abc' } });
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  const imported = await board.do<{ board: { id: string } }>(owner, 'POST /boards/import', document);
  const copy = await board.do<BoardJson>(owner, `GET /boards/${imported.board.id}`);
  const [first, second] = copy.columns.flatMap(({ cards }): CardJson[] => cards);
  t.strictSame(first?.cover, { attachment_id: first?.attachments.find(({ name }) => name === 'a.png')?.id });
  t.strictSame(second?.cover, { color: '#abc' });
});
