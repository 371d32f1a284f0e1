import t, { type Test } from 'tap';
import { EVENT_TYPES } from '../../../src/domain/events.js';
import { recordBoard } from '../../support/realtime/boardRecorder.js';
import type { ColumnJson, EventPageJson } from '../../support/board/boardSnapshot.js';
import { startWorld, type World } from '../../support/board/boardWorld.js';
import { fileForm, populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { newUser } from '../../support/http/users.js';

/** Its caller is the author. */
const COMMENTS = (cardId: string): readonly object[] => [
  { method: 'POST', path: `/cards/${cardId}/comments`, body: { body: 'New' } },
  { method: 'PATCH', path: '/comments/$0.id', body: { body: 'Newer' } },
  { method: 'DELETE', path: '/comments/$0.id' },
];

/** Runs every operation that emits an event once, on a populated board. */
async function everything(world: World, populated: PopulatedBoard): Promise<void> {
  const { api, owner, member, helper } = world;
  const { board, done, card, plainCard, label, unusedLabel, checklist, item, rule, attachment } = populated;
  const guest = await newUser(api);
  const archive = await board.do<ColumnJson>(member, `POST /boards/${board.id}/columns`, {
    title: 'Archive',
    position: 0,
  });
  const steps: Array<[string, object?]> = [
    [`POST /cards/${plainCard.id}/archive`],
    [`POST /cards/${plainCard.id}/restore`, {}],
    [`POST /columns/${done.id}/archive`],
    [`POST /columns/${done.id}/restore`, {}],
    [`PATCH /boards/${board.id}`, { title: 'Journey' }],
    [`POST /boards/${board.id}/invite`, { user_id: guest.id }],
    [`PATCH /boards/${board.id}/members/${guest.id}`, { role: 'owner' }],
    [`DELETE /boards/${board.id}/members/${guest.id}`],
    [`PATCH /columns/${done.id}`, { color: 'teal' }],
    [`POST /columns/${done.id}/move`, { position: 0 }],
    [
      `POST /boards/${board.id}/automations`,
      {
        name: 'Archive',
        trigger_type: 'CARD_MOVED',
        trigger_column_id: done.id,
        action_type: 'MOVE_TO_COLUMN',
        action_column_id: archive.id,
      },
    ],
    [`PATCH /automations/${rule.id}`, { name: 'Renamed' }],
    [`DELETE /automations/${rule.id}`],
    [`PATCH /cards/${card.id}`, { description: null }],
    [`POST /cards/${plainCard.id}/move`, { column_id: done.id, position: 0 }],
    [`PUT /cards/${card.id}/assignees`, { user_ids: [member.id, owner.id] }],
    [`DELETE /cards/${card.id}/assignees/${helper.id}`],
    [`POST /cards/${card.id}/labels/${unusedLabel.id}`],
    [`DELETE /cards/${card.id}/labels/${label.id}`],
    [`PATCH /labels/${label.id}`, { name: 'renamed' }],
    [`DELETE /labels/${unusedLabel.id}`],
    [`PATCH /checklists/${checklist.id}`, { title: 'Renamed' }],
    [`POST /checklists/${checklist.id}/move`, { position: 1 }],
    [`PATCH /items/${item.id}`, { is_done: true }],
    [`POST /items/${item.id}/move`, { position: 1 }],
    [`PUT /items/${item.id}/assignees`, { user_ids: [owner.id] }],
    [`DELETE /items/${item.id}/assignees/${helper.id}`],
    [`DELETE /items/${item.id}`],
    [`DELETE /checklists/${checklist.id}`],
    [`DELETE /attachments/${attachment.id}`],
    [`POST /boards/${board.id}/batch`, { operations: COMMENTS(card.id) }],
    [`DELETE /cards/${plainCard.id}`],
    [`DELETE /columns/${done.id}`],
  ];
  for (const [request, json] of steps) await board.do(owner, request, json);
}

/** The published events, in order. */
async function journey(t: Test, threads: string): Promise<string[]> {
  const world = await startWorld(t, { SHARD_THREADS: threads });
  const populated = await populate(world);
  const { board, card } = populated;
  const { seq } = await board.look();
  const recording = recordBoard(world, board.id);
  await everything(world, populated);
  const { token } = world.member;
  const form = { token, body: fileForm('bytes') };
  const { body: file } = await world.api.request<{ id: string }>('POST', `/cards/${card.id}/attachments`, form);
  const download = await world.api.request<Uint8Array>('GET', `/attachments/${file.id}`, { token });
  t.equal(Buffer.from(download.body).toString(), 'bytes');
  const { events: logged } = await board.do<EventPageJson>(world.member, `GET /boards/${board.id}/events`);
  await board.do(world.owner, `DELETE /boards/${board.id}`);
  const recorded = recording.stop();

  const all = [...logged.slice(0, seq), ...recorded];
  t.strictSame(
    all.map((event) => event.seq),
    all.map((_, index) => index + 1),
    'numbered without a gap',
  );
  t.strictSame([...logged.slice(seq), recorded.at(-1)], recorded, 'the log has the published events');
  t.strictSame([...new Set(all.map(({ type }) => type))].sort(), [...EVENT_TYPES].sort(), 'every kind');
  return all.map(({ type, user_id }) => (user_id === null ? `${type} by a rule` : type));
}

t.test('EVT3 every kind of event is reachable, in the same order with threads and without', async (t) => {
  const [inline, threaded] = [await journey(t, '0'), await journey(t, '1')];
  t.strictSame(inline, threaded);
});

t.test('CRASH1 boards are the same after a restart, with and without threads', async (t) => {
  const world = await startWorld(t, { SHARD_THREADS: '0' });
  const { board } = await populate(world);
  const before = await board.look();
  await world.app.close();
  const again = await startWorld(t, { SHARD_THREADS: '2', DATA_DIR: world.config.dataDir });
  const token = world.member.token;
  const read = await again.api.request('GET', `/boards/${board.id}`, { token });
  t.strictSame(read.body, before.board);
  t.equal(read.headers.get('etag'), `"${before.seq}"`);
  const rules = await again.api.request('GET', `/boards/${board.id}/automations`, { token });
  t.strictSame(rules.body, before.rules);
});
