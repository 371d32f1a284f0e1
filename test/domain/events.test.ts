import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { EVENT_TYPES, renderEvent, withSeq } from '../../src/domain/events.js';
import { crowdedBoard, idOf } from './fullBoard.js';
import { like } from './like.js';
import { play, steps } from './randomCommands.js';
import { Replica } from './replica.js';
import { ann, ben, BOARD_ID, cleo, Scenario, idleRule } from './scenario.js';
import { RANK_GAP } from '../../src/domain/content/defaults.js';

t.test('EVT1 an event has exactly the fields of the contract, and a number only on request', async (t) => {
  const event = { seq: 4, type: 'card.moved', json: renderEvent('card.moved', '{"id":"x"}', null, 'now') } as const;
  const fields = { type: 'card.moved', data: { id: 'x' }, user_id: null, timestamp: 'now', version: '1.0' };
  t.strictSame(JSON.parse(event.json), fields);
  t.strictSame(JSON.parse(withSeq(event, '0')), { seq: 4, ...fields });
  t.strictSame(JSON.parse(withSeq(event, 'k3')), { epoch: 'k3', seq: 4, ...fields });
});

t.test('EVT2 siblings that make room get their events first, with the same user and unchanged updated_at', async (t) => {
  const scenario = Scenario.loaded(crowdedBoard({ columns: 2, cards: 9, items: 0 }));
  const { body, events } = scenario.ask(ben, 'card.move', idOf('ca', 9), { column_id: null, position: 1 });
  like(t, events, [
    { type: 'card.moved', user_id: ben.id, data: { id: idOf('ca', 1), rank: 2 - 2 * RANK_GAP, updated_by: ann.id } },
    { type: 'card.moved', user_id: ben.id, data: { id: idOf('ca', 9), rank: 2 - RANK_GAP, updated_by: ben.id } },
  ]);
  like(t, events[0]?.data, { updated_at: '2029-01-01T00:00:00.000Z', checklists: [{}] });
  t.strictSame(events[1]?.data, body);
  t.strictSame(
    events.map(({ timestamp }) => timestamp),
    [body?.updated_at, body?.updated_at],
  );
});

t.test('EVT2 for a new column, card or item the events of siblings come first, then that of the new entry', async (t) => {
  const scenario = Scenario.loaded(crowdedBoard({ columns: 6, cards: 6, items: 6 }));
  const column = { title: 'new', color: '#fff', is_done_column: false, position: 2 };
  t.strictSame(scenario.ask(ben, 'column.create', BOARD_ID, column).eventTypes, ['column.moved', 'column.moved', 'column.created']);
  const card = { column_id: idOf('c0', 1), title: 'new', description: null, position: 5 };
  t.strictSame(scenario.ask(ben, 'card.create', BOARD_ID, card).eventTypes, ['card.moved', 'card.created']);
  const item = scenario.ask(ben, 'item.move', idOf('17', 1), { checklist_id: null, position: 4 });
  t.strictSame(
    item.events.map(({ type, data }) => [type, data.id]),
    [
      ['checklist_item.moved', idOf('17', 6)],
      ['checklist_item.moved', idOf('17', 1)],
    ],
  );
});

t.test('EVT3 a copy of the board that applies the events always equals the board', async (t) => {
  fc.assert(
    fc.property(steps, (series) => {
      const scenario = Scenario.loaded(crowdedBoard({ columns: 3, cards: 6, items: 4 }));
      const replica = new Replica(scenario.full);
      for (const [n, step] of series.entries()) {
        for (const event of play(scenario, step, n).events) replica.apply(event);
        assert.deepEqual(replica.board, scenario.full, step.op);
      }
    }),
    { numRuns: 100 },
  );
  t.pass('held for every series of commands');
});

t.test('EVT3 every kind of event is reachable', async (t) => {
  const scenario = Scenario.withBoard();
  const seen = new Set<string>();
  const ask: Scenario['ask'] = (...command) => {
    const result = scenario.ask(...command);
    for (const type of result.eventTypes) seen.add(type);
    return result;
  };
  const create: Scenario['must'] = (...command) => {
    const { body } = ask(...command);
    if (body === null) throw new Error('nothing was created');
    return body;
  };

  const title = 'new';
  const column = { title, color: '#fff', is_done_column: false, position: 0 };
  const column_id = create(ann, 'column.create', BOARD_ID, column).id;
  const card = create(ann, 'card.create', BOARD_ID, { column_id, title, description: null, position: 0 }).id;
  const label_id = create(ann, 'label.create', BOARD_ID, { name: 'new', color: 'red' }).id;
  const checklist = create(ann, 'checklist.create', card, { title }).id;
  const item = create(ann, 'item.create', checklist, { content: 'new' }).id;
  const file = idOf('f1', 1);
  ask(ann, 'attachment.create', card, { id: file, name: 'new', mime_type: 'text/plain', size: 1 });
  ask(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo });
  const comment = create(ann, 'comment.create', card, { body: 'new' }).id;

  ask(ann, 'board.update', BOARD_ID, { title });
  ask(ann, 'column.update', column_id, { title });
  ask(ann, 'card.update', card, { title });
  ask(ann, 'label.update', label_id, { name: 'newer' });
  ask(ann, 'checklist.update', checklist, { title });
  ask(ann, 'item.update', item, { is_done: true });
  ask(ann, 'comment.update', comment, { body: 'newer' });
  ask(ann, 'comment.delete', comment, {});
  ask(ann, 'column.move', column_id, { position: 0 });
  ask(ann, 'card.move', card, { column_id, position: 0 });
  ask(ann, 'checklist.move', checklist, { position: 0 });
  ask(ann, 'item.move', item, { checklist_id: null, position: 0 });
  ask(ann, 'card.addLabel', card, { label_id });
  ask(ann, 'card.removeLabel', card, { label_id });
  ask(ann, 'card.assign', card, { user_ids: [ben.id] });
  ask(ann, 'card.unassign', card, { user_id: ben.id });
  ask(ann, 'item.assign', item, { user_ids: [ben.id] });
  ask(ann, 'item.unassign', item, { user_id: ben.id });

  const rule = create(ann, 'rule.create', BOARD_ID, idleRule).id;
  ask(ann, 'rule.update', rule, { name: 'newer' });
  ask(ann, 'rule.delete', rule, {});
  ask(ann, 'card.archive', card, {});
  ask(ann, 'card.restore', card, { column_id: null, position: null });
  ask(ann, 'column.archive', column_id, {});
  ask(ann, 'column.restore', column_id, { position: null });

  ask(ann, 'member.remove', BOARD_ID, { user_id: cleo.id });
  ask(ann, 'attachment.delete', file, {});
  ask(ann, 'item.delete', item, {});
  ask(ann, 'checklist.delete', checklist, {});
  ask(ann, 'label.delete', label_id, {});
  ask(ann, 'card.delete', card, {});
  ask(ann, 'column.delete', column_id, {});
  ask(ann, 'board.delete', BOARD_ID, {});
  t.strictSame([...seen].sort(), [...EVENT_TYPES].sort());
});
