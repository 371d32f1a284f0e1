import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { owner, member } = world;
/** For refused requests: every test checks that they leave the board unchanged. */
const own = await populate(world);
/** A board of the same users, so that only the different board can be the reason for a refusal. */
const foreign = await populate(world);

t.test('ACCESS5 ids of another board are not found, in every position of a request', async (t) => {
  const { board, card, plainCard, item, todo } = own;
  const requests: Array<[string, object?]> = [
    [`POST /boards/${board.id}/columns/${foreign.todo.id}/cards`, { title: 'x' }],
    [`POST /boards/${foreign.board.id}/columns/${todo.id}/cards`, { title: 'x' }],
    [`POST /cards/${card.id}/move`, { column_id: foreign.done.id, position: 0 }],
    [`POST /cards/${card.id}/labels/${foreign.label.id}`],
    [`DELETE /cards/${card.id}/labels/${foreign.label.id}`],
    [`POST /items/${item.id}/move`, { checklist_id: foreign.checklist.id, position: 0 }],
    [`POST /cards/${plainCard.id}/labels/${foreign.unusedLabel.id}`],
  ];
  const before = await foreign.board.look();
  const scene = { as: owner, status: 404, detail: /not found/ };
  await board.refuse(
    t,
    requests.map(([request, json]): Scene => ({ ...scene, request, json })),
  );
  t.strictSame(await foreign.board.look(), before, 'the other board is unchanged, too');
});

t.test('ACCESS5 ids of another kind are not found, in every position of a request', async (t) => {
  const { board, todo, card, label, checklist, item, attachment, rule } = own;
  const kinds: Readonly<Record<string, string>> = {
    board: board.id,
    column: todo.id,
    card: card.id,
    label: label.id,
    checklist: checklist.id,
    item: item.id,
    attachment: attachment.id,
    rule: rule.id,
    user: member.id,
  };
  const requests: Readonly<Record<string, (id: string) => [string, object?]>> = {
    board: (id) => [`PATCH /boards/${id}`, { title: 'x' }],
    column: (id) => [`PATCH /columns/${id}`, { title: 'x' }],
    card: (id) => [`PATCH /cards/${id}`, { title: 'x' }],
    label: (id) => [`PATCH /labels/${id}`, { name: 'x' }],
    checklist: (id) => [`PATCH /checklists/${id}`, { title: 'x' }],
    item: (id) => [`PATCH /items/${id}`, { content: 'x' }],
    attachment: (id) => [`DELETE /attachments/${id}`],
    rule: (id) => [`PATCH /automations/${id}`, { name: 'x' }],
    user: (id) => [`DELETE /boards/${board.id}/members/${id}`],
  };
  const scenes = Object.entries(requests).flatMap(([wanted, toRequest]) =>
    Object.entries(kinds)
      .filter(([kind]) => kind !== wanted)
      .map(([, id]): Scene => {
        const [request, json] = toRequest(id);
        return { as: owner, request, json, status: 404, detail: /not found/ };
      }),
  );
  await board.refuse(t, scenes);
});

t.test('INPUT3 a position is an integer from 0; nothing else is converted to one', async (t) => {
  const { board, todo, card, checklist, item } = own;
  const positions = [-1, 1.5, 1e308, '3', '', null, true, [], {}, [1], -0.5, 2 ** 53, Number.MIN_VALUE];
  const places: Array<[string, object]> = [
    [`POST /boards/${board.id}/columns`, { title: 'x' }],
    [`POST /columns/${todo.id}/move`, {}],
    [`POST /boards/${board.id}/columns/${todo.id}/cards`, { title: 'x' }],
    [`POST /cards/${card.id}/move`, { column_id: todo.id }],
    [`POST /checklists/${checklist.id}/move`, {}],
    [`POST /items/${item.id}/move`, { checklist_id: checklist.id }],
  ];
  const scenes = places.flatMap(([request, json]) =>
    positions.map((position): Scene => ({
      as: member,
      request,
      json: { ...json, position },
      status: 422,
      detail: /^position: /,
    })),
  );
  const huge = places.map(([request, json]): Scene => {
    const body = JSON.stringify({ ...json, position: 0 }).replace('"position":0', '"position":1e999');
    return {
      as: member,
      request,
      body,
      headers: { 'content-type': 'application/json' },
      status: 422,
      detail: /^position: /,
    };
  });
  await board.refuse(t, [...scenes, ...huge]);
});

t.test('INPUT4 titles and names have 1 to 255 characters after trimming, texts of cards up to 65,536, contents up to 10,000', async (t) => {
  const { board, todo, card, checklist, item, label, rule } = own;
  const titles: unknown[] = ['', '   ', '\t\r\n\u00a0\u3000', 'x'.repeat(256), '😀'.repeat(256), null, 7, ['x'], {}, 'a\0b', '\ud800'];
  const longerThan = (most: number): unknown[] => ['x'.repeat(most + 1), '😀'.repeat(most + 1), 7, ['x'], {}, true, 'a\0b', 'a\udc00'];
  const [contents, descriptions] = [longerThan(10_000), longerThan(65_536)];
  const fields: Array<[string, string, object, unknown[]]> = [
    [`PATCH /boards/${board.id}`, 'title', {}, titles],
    [`PATCH /boards/${board.id}`, 'description', {}, contents],
    [`POST /boards/${board.id}/columns`, 'title', {}, titles],
    [`PATCH /columns/${todo.id}`, 'title', {}, titles],
    [`POST /boards/${board.id}/columns/${todo.id}/cards`, 'title', {}, titles],
    [`POST /boards/${board.id}/columns/${todo.id}/cards`, 'description', { title: 'x' }, descriptions],
    [`PATCH /cards/${card.id}`, 'title', {}, titles],
    [`PATCH /cards/${card.id}`, 'description', {}, descriptions],
    [`POST /boards/${board.id}/labels`, 'name', {}, titles],
    [`PATCH /labels/${label.id}`, 'name', {}, titles],
    [`POST /cards/${card.id}/checklists`, 'title', {}, titles],
    [`PATCH /checklists/${checklist.id}`, 'title', {}, titles],
    [`POST /checklists/${checklist.id}/items`, 'content', {}, [...contents, '', null]],
    [`PATCH /items/${item.id}`, 'content', {}, [...contents, '', null]],
    [`PATCH /automations/${rule.id}`, 'name', {}, titles],
  ];
  const scenes = fields.flatMap(([request, field, others, values]) =>
    values.map((value): Scene => {
      const json = { ...others, [field]: value };
      return { as: owner, request, json, status: 422, detail: new RegExp(`^${field}: `) };
    }),
  );
  await board.refuse(t, scenes);
});

t.test('INPUT4 the longest allowed texts are returned unchanged', async (t) => {
  const { board, card, checklist } = await populate(world);
  const title = `${'😀'.repeat(254)}é`;
  const description = '\n "\\ ü😀'.repeat(65_536 / 8);
  const scene = { as: member, request: `PATCH /cards/${card.id}`, json: { title, description }, status: 200 };
  await board.play(t, { ...scene, answer: { title, description }, events: [emitted('card.updated', member)] });
  const content = '  kept as it is \u2028'.repeat(10_000 / 17);
  const request = `POST /checklists/${checklist.id}/items`;
  const created = { as: member, request, json: { content }, status: 201, answer: { content } };
  await board.play(t, { ...created, events: [emitted('checklist_item.created', member)] });
});

t.test('INPUT3 a colour is hex or a CSS name', async (t) => {
  const good = ['#fff', '#FFF', '#a1b2c3', '#a1b2c3d4', 'teal', 'RebeccaPurple', 'transparent', ' red '];
  const bad = ['', '#', '#ff', '#ffff', '#fffff', '#fffffff', '#ggg', 'fff', 'rgb(1,2,3)', 'url(x)', 'reddish', 'red;x', null, 7, []];
  const places = ({ board, todo, label }: PopulatedBoard): Array<[string, object, 200 | 201]> => [
    [`POST /boards/${board.id}/columns`, { title: 'x' }, 201],
    [`PATCH /columns/${todo.id}`, {}, 200],
    [`POST /boards/${board.id}/labels`, { name: 'x' }, 201],
    [`PATCH /labels/${label.id}`, {}, 200],
  ];
  const scenes = places(own).flatMap(([request, others]) =>
    bad.map((color): Scene => ({ as: member, request, json: { ...others, color }, status: 422, detail: /^color: / })),
  );
  await own.board.refuse(t, scenes);
  const populated = await populate(world);
  for (const [request, others] of places(populated)) {
    for (const color of good) {
      const { color: kept } = await populated.board.do<{ color: string }>(member, request, { ...others, color });
      t.equal(kept, color.trim(), `${request}: ${color}`);
    }
  }
});

t.test('INPUT3 a flag is true or false', async (t) => {
  const { board, todo, item, rule } = own;
  const places: Array<[string, object, string]> = [
    [`POST /boards/${board.id}/columns`, { title: 'x' }, 'is_done_column'],
    [`PATCH /columns/${todo.id}`, {}, 'is_done_column'],
    [`PATCH /items/${item.id}`, {}, 'is_done'],
    [`PATCH /automations/${rule.id}`, {}, 'is_enabled'],
  ];
  const scenes = places.flatMap(([request, others, field]) =>
    [null, 0, 1, 'true', '', [], {}].map((value): Scene => {
      return {
        as: owner,
        request,
        json: { ...others, [field]: value },
        status: 422,
        detail: new RegExp(`^${field}: `),
      };
    }),
  );
  await board.refuse(t, scenes);
});
