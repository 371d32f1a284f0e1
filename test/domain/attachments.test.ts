import t from 'tap';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, Scenario } from './scenario.js';

function withCard(): { scenario: Scenario; card: string } {
  const scenario = Scenario.withBoard();
  return { scenario, card: scenario.addCard(scenario.addColumn('A'), 'x') };
}

t.test('ATT1 an uploaded file becomes part of its card, and its event has no content', async (t) => {
  const { scenario, card } = withCard();
  const begun = scenario.ask(ben, 'attachment.begin', card, {});
  like(t, begun, { error: null, events: [] });
  const file = { id: JSON.parse(begun.json ?? '') as string, name: 'plan.pdf', mime_type: 'application/pdf', size: 9 };
  const { body, events } = scenario.ask(ben, 'attachment.create', card, file);
  t.strictSame(body, { ...file, url: null, card_id: card, comment_id: null, created_at: body?.created_at, updated_at: body?.created_at });
  like(t, events, [{ type: 'attachment.created', user_id: ben.id }]);
  t.strictSame(events[0]?.data, body);
  const { name, mime_type, size } = file;
  t.strictSame(scenario.must(ben, 'attachment.get', file.id, {}), { name, mime_type, size, created_at: body?.created_at, digest: null, url: null });
  like(t, scenario.must(ben, 'card.get', card, {}), { attachments: [{ id: file.id }] });
});

t.test('ATT1 attachments are in order of upload, and deleting one emits its last state', async (t) => {
  const { scenario, card } = withCard();
  const file = { name: 'a', mime_type: 'text/plain', size: 1 };
  const [late, early] = ['b0a2db0a-2d00-4000-8000-0000000000ff', 'b0a2db0a-2d00-4000-8000-0000000000aa'];
  scenario.must(ann, 'attachment.create', card, { id: late, ...file });
  scenario.must(ann, 'attachment.create', card, { id: early, ...file });
  like(t, scenario.must(ben, 'card.get', card, {}), { attachments: [{ id: late }, { id: early }] });
  const { json, events } = scenario.ask(ben, 'attachment.delete', late, {});
  t.equal(json, null);
  like(t, events, [{ type: 'attachment.deleted', data: { id: late, name: 'a' } }]);
  t.equal(scenario.ask(cleo, 'attachment.get', early, {}).error?.code, 'forbidden');
  t.equal(scenario.ask(ben, 'attachment.begin', BOARD_ID, {}).error?.detail, 'Card not found');
});
