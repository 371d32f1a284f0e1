import { readFile } from 'node:fs/promises';
import t from 'tap';
import * as v from 'valibot';
import type * as resources from '../../src/api/schemas/resources.js';
import { packagePath } from '../../src/paths.js';
import { Omissions } from '../../src/transfer/omissions.js';
import { fromTrello } from '../../src/transfer/trello.js';
import { isTrelloExport, TrelloBoard } from '../../src/transfer/trelloBoard.js';
import { startTestApp } from '../support/service/app.js';
import type { BoardJson } from '../support/board/boardSnapshot.js';
import { newUser } from '../support/http/users.js';

const FIXTURE = packagePath('test', 'fixtures', 'trello.json');
const exported = JSON.parse(await readFile(FIXTURE, 'utf8')) as Record<string, unknown>;

t.test('TRELLO1 a Trello export becomes a board with its lists, cards, labels, checklists and members', async (t) => {
  const { api } = await startTestApp(t);
  const ada = await newUser(api, { email: 'Ada@example.org' });
  const importer = await newUser(api);
  const token = importer.token;
  const { status, body } = await api.request<v.InferOutput<typeof resources.ImportedBoard>>('POST', '/boards/import', {
    token,
    json: exported,
  });
  t.equal(status, 201, JSON.stringify(body));
  t.equal(body.source, 'trello');
  t.strictSame(body.imported, {
    members: 1,
    labels: 4,
    columns: 2,
    cards: 3,
    checklists: 2,
    items: 2,
    attachments: 0,
    rules: 0,
  });
  const { body: board } = await api.request<BoardJson>('GET', `/boards/${body.board.id}`, { token });
  t.strictSame([board.title, board.description], ['Harvest festival', 'Everything for the **festival**.']);
  t.strictSame(
    board.labels.map(({ name, color }) => [name, color]),
    [
      ['Ready', '#4bce97'],
      ['Someday', '#6b7280'],
      ['sky light', '#c6edfb'],
      ['Shiny', '#6b7280'],
    ],
  );
  t.strictSame(
    board.columns.map(({ title, cards }) => [title, cards.map((card) => card.title)]),
    [
      ['Ideas', ['Ask the band', 'Rent the tent']],
      ['Done', ['Untitled']],
    ],
  );
  const tent = board.columns[0]?.cards[1];
  t.strictSame(
    tent?.labels.map(({ name }) => name),
    ['Ready', 'sky light'],
  );
  t.strictSame(
    tent?.assignees.map(({ id }) => id),
    [ada.id],
  );
  t.strictSame(
    tent?.checklists.map(({ title, items }) => [title, items.map((item) => [item.content, item.is_done, item.assignees.length])]),
    [
      [
        'Before',
        [
          ['Compare offers', true, 0],
          ['Sign', false, 1],
        ],
      ],
      ['On the day', []],
    ],
  );
  t.strictSame(
    new Map(board.members.map(({ user_id, role }) => [user_id, role])),
    new Map([
      [ada.id, 'owner'],
      [importer.id, 'owner'],
    ]),
  );
  t.strictSame([...body.left_out].sort(), [
    '1 comment: boards do not have them.',
    '1 custom field: boards do not have them.',
    '1 due date: boards do not have them.',
    '2 assignments: the users are not on the new board.',
    'Attachment "https://tents.example.org" of card "Rent the tent": the export only links to it. It is at https://tents.example.org',
    'Attachment "offer.pdf" of card "Rent the tent": the export only links to it. ' +
      'It is at https://trello.com/1/cards/card-tent/attachments/a1/download/offer.pdf',
    'Card "Fireworks": it is archived.',
    'Card "Hay bales": its list is archived or missing.',
    'Colour "ultraviolet" of label "Shiny" is unknown.',
    'List "Last year": it is archived.',
    'Member Bo Meadow (@bomeadow): the export does not contain the e-mail address.',
    'Member Cy Brook (cy@example.org): no user has this e-mail address.',
  ]);
});

t.test('TRANSFER6 texts too long for a board are shortened and reported', async (t) => {
  const leftOut = new Omissions();
  const board = v.parse(TrelloBoard, {
    name: 'x'.repeat(255),
    lists: [{ id: 'l', name: '🎪'.repeat(300) }],
    cards: [{ idList: 'l', name: ' ', desc: `${'y'.repeat(16_000)}` }],
  });
  const { title, columns } = fromTrello(board, leftOut);
  t.equal(title, 'x'.repeat(255), 'a text of the maximum length stays');
  t.equal(columns[0]?.title, `${'🎪'.repeat(254)}…`, 'characters are not cut in half');
  t.strictSame([columns[0]?.cards[0]?.title, columns[0]?.cards[0]?.description?.length], ['Untitled', 10_000]);
  t.strictSame(leftOut.notes, ['2 texts were shortened to the maximum length.']);
});

t.test('TRELLO1 a Trello export is distinguished from other documents', async (t) => {
  t.equal(isTrelloExport(exported), true);
  for (const other of [null, 1, [], {}, { lists: [] }, { ...exported, format: 'switchboard-board' }]) {
    t.equal(isTrelloExport(other), false, JSON.stringify(other)?.slice(0, 40));
  }
});

t.test('TRELLO1 a damaged Trello export is refused with the place of the error', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api);
  const json = { ...exported, cards: [{ idList: 7 }] };
  const { status, body } = await api.request<{ detail: string }>('POST', '/boards/import', { token, json });
  t.equal(status, 422);
  t.equal(body.detail, 'cards.0.idList: must be a string');
});
