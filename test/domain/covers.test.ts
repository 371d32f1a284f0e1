import t from 'tap';
import { CARD_NUMBERS } from '../../src/domain/board/laterFields.js';
import type { Uuid } from '../../src/domain/ids.js';
import { ann, ben, Scenario } from './scenario.js';

const idOf = (n: number): Uuid => `b0a2db0a-2d00-4000-8000-0000a77ac${String(n).padStart(3, '0')}`;

function withFiles(): { scenario: Scenario; card: Uuid; other: Uuid; picture: Uuid; text: Uuid; drawing: Uuid } {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [card, other] = [scenario.addCard(column, 'one'), scenario.addCard(column, 'two')];
  const [picture, text, drawing] = [idOf(1), idOf(2), idOf(3)];
  const add = (id: Uuid, mime_type: string) => scenario.must(ann, 'attachment.create', card, { id, name: 'file', mime_type, size: 1 });
  add(picture, 'IMAGE/PNG; x=y');
  add(text, 'text/plain');
  add(drawing, 'image/svg+xml');
  return { scenario, card, other, picture, text, drawing };
}

t.test('NUMBER1 a cover is a colour or a picture of the card, and null removes it', async (t) => {
  const { scenario, card, picture } = withFiles();
  for (const cover of [{ color: 'teal' }, { attachment_id: picture }, null]) {
    const { events } = scenario.ask(ben, 'card.update', card, { cover });
    t.match(events, [{ type: 'card.updated', data: { cover } }]);
    t.strictSame(scenario.must(ann, 'card.get', card, {})['cover'], cover);
  }
});

t.test('NUMBER1 another file, and a picture of another card, is refused', async (t) => {
  const { scenario, card, other, picture, text, drawing } = withFiles();
  const refused = { code: 'invalid', detail: 'cover.attachment_id: must be a picture' };
  const notFound = { code: 'not_found', detail: 'Attachment not found' };
  for (const attachment_id of [text, drawing]) {
    t.strictSame(scenario.ask(ben, 'card.update', card, { title: 'Not this', cover: { attachment_id } }).error, refused);
  }
  for (const attachment_id of [card, idOf(9)]) {
    t.strictSame(scenario.ask(ben, 'card.update', card, { title: 'Not this', cover: { attachment_id } }).error, notFound);
  }
  t.strictSame(scenario.ask(ben, 'card.update', other, { cover: { attachment_id: picture } }).error, notFound);
  t.match(scenario.must(ann, 'card.get', card, {}), { title: 'one', cover: null });
});

t.test('NUMBER1 the deletion of the picture removes the cover in the same commit', async (t) => {
  const { scenario, card, picture, text } = withFiles();
  scenario.must(ben, 'card.update', card, { cover: { attachment_id: picture } });
  t.strictSame(scenario.ask(ben, 'attachment.delete', text, {}).eventTypes, ['attachment.deleted'], 'not that of another file');
  const { events, eventTypes } = scenario.ask(ben, 'attachment.delete', picture, {});
  t.strictSame(eventTypes, ['attachment.deleted', 'card.updated']);
  t.match(events[1]?.data, { id: card, cover: null, updated_by: ben.id });
});

t.test('CLUSTER54 a cover is refused while a program runs that would not keep it', async (t) => {
  const { scenario, card } = withFiles();
  scenario.schema = CARD_NUMBERS - 1;
  t.match(scenario.ask(ann, 'card.update', card, { cover: { color: 'teal' } }).error, { code: 'unavailable' });
});
