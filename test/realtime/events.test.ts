import t from 'tap';
import { EVENT_TYPES } from '../../src/domain/events.js';
import { RealtimeBoard, range } from '../support/realtime/realtimeBoard.js';
import { sharedApp } from '../support/service/app.js';

const EVENT_FIELDS = ['data', 'timestamp', 'type', 'user_id', 'version'];

const app = await sharedApp();

t.test('EVT1 without since a message has exactly the fields of the contract', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { member, owner } = board;
  const socket = await board.join(member);
  const labelId = await board.addLabel('red');
  const event = await socket.find('label.created');
  t.strictSame(Object.keys(event).sort(), EVENT_FIELDS);
  t.match(event, { user_id: owner.id, version: '1.0', data: { id: labelId, name: 'red' } });
  t.equal(new Date(String(event['timestamp'])).toISOString(), event['timestamp'], 'a UTC timestamp');
  t.strictSame(socket.messages[0], { type: 'user_joined', user_id: member.id, username: member.username });
});

t.test('CATCH1 with since every event also carries its number, which rises by one', async (t) => {
  const board = await RealtimeBoard.on(app);
  const before = await board.seq();
  const socket = await board.join(board.member, { since: 'latest' });
  await board.addLabel('red');
  await board.addLabel('blue');
  await socket.message(2);
  t.strictSame(
    socket.events.map(({ seq }) => seq),
    [before + 1, before + 2],
  );
  for (const event of socket.events) t.strictSame(Object.keys(event).sort(), [...EVENT_FIELDS, 'seq'].sort());
});

t.test('WS5 every client of a board gets every event of that board, in one order, and none of another', async (t) => {
  const board = await RealtimeBoard.on(app);
  const other = await RealtimeBoard.on(board.app);
  const before = await board.seq();
  const plain = await board.join(board.owner);
  const numbered = await board.join(board.member, { since: 'latest' });
  const elsewhere = await other.join(other.owner);
  await plain.message(1);

  const writes = 60;
  await Promise.all(range(1, writes).map((n) => (n % 3 === 0 ? other.addLabel(`other ${n}`) : board.addLabel(`label ${n}`))));
  const own = writes - Math.floor(writes / 3);
  await Promise.all([numbered.message(own), plain.message(1 + own), elsewhere.message(writes - own)]);
  t.strictSame(
    numbered.events.map(({ seq }) => seq),
    range(before + 1, before + own),
  );
  t.strictSame(
    numbered.events.map(({ seq: _seq, ...event }) => event),
    plain.events,
    'the same for all',
  );
  t.ok(elsewhere.events.every(({ data }) => String((data as { name: string }).name).startsWith('other')));
});

t.test('ASYNC1 every kind of event on the socket matches its schema, attachments without content', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { member, owner } = board;
  const socket = await board.join(owner, { since: 0 });
  const content = 'the very content of the file';
  await playEverything(board, content);
  t.equal((await socket.closed).code, 4410);

  const kinds = new Set(socket.events.map(({ type }) => type));
  t.strictSame(
    EVENT_TYPES.filter((type) => !kinds.has(type)),
    [],
    'all of them came',
  );
  t.strictSame(
    socket.events.map(({ seq }) => seq),
    range(1, socket.events.length),
  );
  t.notOk(JSON.stringify(socket.messages).includes(content), 'no message has what is in the file');
  t.match(
    socket.events.find(({ type }) => type === 'attachment.created'),
    {
      data: { name: 'a.txt', mime_type: 'text/plain', size: content.length },
      user_id: owner.id,
    },
  );
  t.match(
    socket.events.find(({ type }) => type === 'board.member_removed'),
    { data: { user_id: member.id } },
  );
  t.strictSame(socket.events.at(-1)?.['data'], { id: board.id }, 'a deleted board is its id alone');
});

t.test('RULE6 changes of rules are sent to sockets with numbers, and not to those of one board without', async (t) => {
  const board = await RealtimeBoard.on(app);
  const [plain, numbered] = [await board.join(board.member), await board.join(board.member, { since: 'latest' })];
  await board.do(`POST /boards/${board.id}/automations`, {
    json: { name: 'Assign', trigger_type: 'CARD_CREATED', action_type: 'ASSIGN_MEMBER', action_user_id: board.member.id },
  });
  await board.addLabel('red');
  const kinds = (events: readonly Readonly<Record<string, unknown>>[]): unknown[] => events.map(({ type }) => type);
  await numbered.find('label.created');
  await plain.find('label.created');
  t.strictSame(kinds(numbered.events), ['rule.created', 'label.created']);
  t.strictSame(kinds(plain.events), ['label.created']);
});

t.test('AUTO7 an event of an automation rule has no user', async (t) => {
  const board = await RealtimeBoard.on(app);
  const [todo, done] = [await board.addColumn('To do'), await board.addColumn('Done')];
  const cardId = await board.addCard(todo);
  await board.do(`POST /boards/${board.id}/automations`, {
    json: {
      name: 'Assign',
      trigger_type: 'CARD_MOVED',
      trigger_column_id: done,
      action_type: 'ASSIGN_MEMBER',
      action_user_id: board.member.id,
    },
  });
  const socket = await board.join(board.member);
  await board.do(`POST /cards/${cardId}/move`, { json: { column_id: done } });
  await socket.message(2);
  t.strictSame(
    socket.events.map(({ type, user_id }) => [type, user_id]),
    [
      ['card.moved', board.owner.id],
      ['card.assigned', null],
    ],
  );
});

/** Every operation that emits events, so that every kind of event occurs at least once. */
async function playEverything(board: RealtimeBoard, content: string): Promise<void> {
  const { id, member, owner } = board;
  const add = async (path: string, json: object): Promise<string> => (await board.do(`POST ${path}`, { json })).id;
  const userIds = { user_ids: [member.id] };
  await board.do(`PATCH /boards/${id}`, { json: { title: 'Renamed' } });
  const [columnId, otherColumnId] = [await board.addColumn(), await board.addColumn()];
  await board.do(`PATCH /columns/${columnId}`, { json: { title: 'Renamed' } });
  await board.do(`POST /columns/${columnId}/move`, { json: { position: 1 } });
  const cardId = await board.addCard(columnId);
  await board.do(`PATCH /cards/${cardId}`, { json: { description: 'Something' } });
  await board.do(`POST /cards/${cardId}/move`, { json: { column_id: otherColumnId, position: 0 } });
  const labelId = await board.addLabel('urgent');
  await board.do(`PATCH /labels/${labelId}`, { json: { color: 'red' } });
  await board.do(`POST /cards/${cardId}/labels/${labelId}`);
  await board.do(`PUT /cards/${cardId}/assignees`, { json: userIds });
  const checklistId = await add(`/cards/${cardId}/checklists`, { title: 'Steps' });
  const otherChecklistId = await add(`/cards/${cardId}/checklists`, { title: 'More steps' });
  await board.do(`PATCH /checklists/${checklistId}`, { json: { title: 'All steps' } });
  await board.do(`POST /checklists/${checklistId}/move`, { json: { position: 1 } });
  const itemId = await add(`/checklists/${checklistId}/items`, { content: 'First' });
  await board.do(`PATCH /items/${itemId}`, { json: { is_done: true } });
  await board.do(`PUT /items/${itemId}/assignees`, { json: userIds });
  await board.do(`POST /items/${itemId}/move`, { json: { position: 0, checklist_id: otherChecklistId } });
  const commentId = await add(`/cards/${cardId}/comments`, { body: 'Really?' });
  await board.do(`PATCH /comments/${commentId}`, { json: { body: 'Really!' } });
  for (const path of [`/cards/${cardId}`, `/columns/${columnId}`]) {
    await board.do(`POST ${path}/archive`, {});
    await board.do(`POST ${path}/restore`, { json: {} });
  }
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/plain' }), 'a.txt');
  const attachment = await board.do(`POST /cards/${cardId}/attachments`, { body: form });

  const ruleId = await add(`/boards/${id}/automations`, {
    name: 'Rule',
    trigger_type: 'CARD_CREATED',
    action_type: 'ASSIGN_MEMBER',
    action_user_id: member.id,
  });
  await board.do(`PATCH /automations/${ruleId}`, { json: { name: 'Renamed' } });
  // The member's assignments are removed with the member.
  await board.do(`DELETE /boards/${id}/members/${member.id}`, { token: owner.token });
  for (const path of [
    `/automations/${ruleId}`,
    `/attachments/${attachment.id}`,
    `/comments/${commentId}`,
    `/items/${itemId}`,
    `/checklists/${checklistId}`,
    `/cards/${cardId}/labels/${labelId}`,
    `/labels/${labelId}`,
    `/cards/${cardId}`,
    `/columns/${columnId}`,
    `/boards/${id}`,
  ]) {
    await board.do(`DELETE ${path}`);
  }
}
