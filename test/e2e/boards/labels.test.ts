import t from 'tap';
import { emitted } from '../../support/board/boardScenario.js';
import type { LabelJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member, stranger } = world;

t.test('LABEL2 a created label emits an event and is listed in order of creation', async (t) => {
  const { board, label, unusedLabel } = await populate(world);
  const scene = { as: member, request: `POST /boards/${board.id}/labels`, status: 201 };
  const events = [emitted('label.created', member)];
  const forged = { board_id: stranger.id, id: stranger.id, created_at: '2000-01-01T00:00:00Z' };
  const answer = { name: 'Ärger', color: '#6b7280', board_id: board.id };
  const { body: plain } = await board.play<LabelJson>(t, {
    ...scene,
    json: { name: ' Ärger ', ...forged },
    answer,
    events,
  });
  const json = { name: 'bug', color: ' #FFEE0080 ' };
  const { body: coloured } = await board.play<LabelJson>(t, { ...scene, json, answer: { color: '#FFEE0080' }, events });
  const listed = await board.do<LabelJson[]>(member, `GET /boards/${board.id}/labels`);
  t.strictSame(listed, [label, unusedLabel, plain, coloured]);
});

t.test('LABEL2 an updated label shows its new name and colour on every card at once', async (t) => {
  const { board, card, label } = await populate(world);
  const scene = { as: member, request: `PATCH /labels/${label.id}`, status: 200 };
  const events = [emitted('label.updated', member)];
  await board.play(t, { ...scene, json: { name: 'calm' }, answer: { name: 'calm', color: 'red' }, events });
  await board.play(t, {
    ...scene,
    json: { color: 'blue', board_id: stranger.id },
    answer: { name: 'calm', color: 'blue' },
    events,
  });
  t.match((await board.card(card.id)).labels, [{ id: label.id, name: 'calm', color: 'blue' }]);
  await board.play(t, { ...scene, json: {} });
});

t.test('LABEL2 deleting a label removes it from its cards with one event', async (t) => {
  const { board, card, label } = await populate(world);
  const request = `DELETE /labels/${label.id}`;
  const { before, after } = await board.play(t, {
    as: member,
    request,
    status: 204,
    events: [emitted('label.deleted', member, label.id)],
  });
  t.match(before.resources.get(card.id), { labels: [{ id: label.id }] });
  t.strictSame(after?.resources.get(card.id), { ...before.resources.get(card.id), labels: [] }, 'the rest of the card is unchanged');
  await board.refuse(t, [
    { as: member, request, status: 404 },
    { as: member, request: `PATCH /labels/${label.id}`, json: { name: 'x' }, status: 404 },
    { as: member, request: `POST /cards/${card.id}/labels/${label.id}`, status: 404, detail: /Label/ },
  ]);
});

t.test('LABEL2 statistics count the cards of each label, by name ignoring case', async (t) => {
  const { board, todo, done, card, plainCard, label, unusedLabel } = await populate(world);
  const labels = [label, unusedLabel];
  for (const name of ['Alpha', 'beta']) {
    labels.push(await board.do<LabelJson>(owner, `POST /boards/${board.id}/labels`, { name }));
  }
  await board.do(owner, `POST /cards/${plainCard.id}/labels/${label.id}`);
  await board.do(owner, `POST /cards/${card.id}/move`, { column_id: done.id });
  const request = `GET /boards/${board.id}/labels/stats`;
  const stats = async (): Promise<object[]> => {
    const { body } = await board.play<object[]>(t, { as: member, request, status: 200 });
    return body;
  };
  const entry = (name: string, card_count: number): object => {
    const { id, color } = labels.find((each) => each.name === name) ?? label;
    return { label_id: id, name, color, card_count };
  };
  t.strictSame(await stats(), [entry('Alpha', 0), entry('beta', 0), entry('later', 0), entry('urgent', 2)]);
  await board.do(owner, `DELETE /columns/${todo.id}`);
  t.strictSame((await stats()).at(-1), entry('urgent', 1), 'a deleted card does not count');
  await board.do(owner, `DELETE /cards/${card.id}/labels/${label.id}`);
  t.strictSame((await stats()).at(-1), entry('urgent', 0));
});
