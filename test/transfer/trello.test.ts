import { readFile } from 'node:fs/promises';
import t from 'tap';
import * as v from 'valibot';
import type * as resources from '../../src/api/schemas/resources.js';
import { planBoard } from '../../src/documents/planner.js';
import type { BoardDocument } from '../../src/domain/document/boardDocument.js';
import { measurePlan } from '../../src/domain/document/importLimits.js';
import type { BoardLimits } from '../../src/domain/limits.js';
import { CARD_TEXT_CHARACTERS, LONG_TEXT_CHARACTERS } from '../../src/domain/textLimits.js';
import { packagePath } from '../../src/paths.js';
import { planImport } from '../../src/transfer/importPlan.js';
import { Omissions } from '../../src/transfer/omissions.js';
import { fromTrello } from '../../src/transfer/trello.js';
import { isTrelloExport, TrelloBoard } from '../../src/transfer/trelloBoard.js';
import { startTestApp } from '../support/service/app.js';
import type { ArchiveJson, BoardJson } from '../support/board/boardSnapshot.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { ann, ids } from '../support/store/faultyStorePartition.js';
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
    columns: 3,
    cards: 5,
    checklists: 2,
    items: 2,
    attachments: 1,
    comments: 3,
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
  const { body: archive } = await api.request<ArchiveJson>('GET', `/boards/${body.board.id}/archive`, { token });
  t.match(archive.cards, [{ title: 'Fireworks', archived_at: '2024-05-02T08:00:00.000Z', comment_count: 1 }]);
  t.match(archive.columns, [{ title: 'Last year', card_count: 1, archived_at: '2024-05-02T08:00:00.000Z' }]);
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
  t.match(tent, {
    due_at: '2024-09-20T10:00:00.000Z',
    reminder_minutes: 120,
    start_at: null,
    completed_at: null,
    comment_count: 2,
    number: 12,
    cover: { color: '#94c748' },
  });
  t.match(tent?.attachments, [{ name: 'https://tents.example.org', url: 'https://tents.example.org/', size: 0, mime_type: 'text/uri-list' }]);
  const page = await api.request<{ comments: object[] }>('GET', `/cards/${tent?.id ?? ''}/comments`, { token });
  t.match(page.body.comments, [
    { body: 'Which colour?', author: { id: ada.id }, author_name: ada.username, created_at: '2024-05-02T08:00:00.000Z' },
    { body: 'Ask @adafield', author: null, author_name: 'Bo Meadow', mentions: [], created_at: '2024-05-01T09:00:00.000Z' },
  ]);
  t.strictSame(
    new Map(board.members.map(({ user_id, role }) => [user_id, role])),
    new Map([
      [ada.id, 'owner'],
      [importer.id, 'owner'],
    ]),
  );
  t.strictSame([...body.left_out].sort(), [
    '1 custom field: boards do not have them.',
    '2 assignments: the users are not members of the new board.',
    'Colour "ultraviolet" of label "Shiny" is unknown.',
    'File "offer.pdf" of card "Rent the tent": the export does not contain it, and it needs Trello\'s own login. ' +
      'It is at https://trello.com/1/cards/card-tent/attachments/a1/download/offer.pdf',
    'Member Bo Meadow (@bomeadow): the export does not contain the e-mail address.',
    'Member Cy Brook (cy@example.org): no user has this e-mail address.',
  ]);
});

t.test('TRANSFER6 texts too long for a board are shortened, and a file of their card has all of them', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api);
  const [long, item, title] = [`Long 🎪\n${'y'.repeat(CARD_TEXT_CHARACTERS)}`, 'z'.repeat(LONG_TEXT_CHARACTERS), '🎪'.repeat(300)];
  const json = {
    name: 'x'.repeat(255),
    lists: [{ id: 'l', name: title }],
    cards: [
      { id: 'a', idList: 'l', name: 'Card', desc: long, idChecklists: ['k'] },
      { id: 'z', idList: 'l', name: 'Old', desc: `${long}z\0`, closed: true },
    ],
    checklists: [{ id: 'k', name: 'Steps', checkItems: [{ name: `1 ${item}` }, { name: `2 ${item}` }] }],
    actions: [{ type: 'commentCard', data: { text: 'c'.repeat(CARD_TEXT_CHARACTERS + 1), card: { id: 'a' } } }],
  };
  const { body } = await api.request<v.InferOutput<typeof resources.ImportedBoard>>('POST', '/boards/import', { token, json });
  t.equal(body.imported.attachments, 6);
  const { body: board } = await api.request<BoardJson>('GET', `/boards/${body.board.id}`, { token });
  t.equal(board.title, json.name, 'a text of the maximum length stays');
  const [column] = board.columns;
  const [card] = column?.cards ?? [];
  t.equal(column?.title, `${'🎪'.repeat(254)}…`, 'characters are not cut in half');
  t.equal([...(card?.description ?? '')].length, CARD_TEXT_CHARACTERS);
  const contents = await Promise.all(
    (card?.attachments ?? []).map(async ({ id, name, size }) => {
      const { body: bytes, headers } = await api.request<Uint8Array>('GET', `/attachments/${id}`, { token });
      t.strictSame([bytes.length, headers.get('content-type')], [size, 'text/plain; charset=utf-8']);
      return [name, Buffer.from(bytes).toString()] as const;
    }),
  );
  t.strictSame(Object.fromEntries(contents), {
    'description.txt': long,
    'comment.txt': 'c'.repeat(CARD_TEXT_CHARACTERS + 1),
    'item.txt': `1 ${item}`,
    'item 2.txt': `2 ${item}`,
    'list name.txt': title,
  });
  const { body: exported } = await api.request<BoardDocument>('GET', `/boards/${body.board.id}/export`, { token });
  const old = exported.columns[0]?.cards.find((each) => each.title === 'Old');
  t.strictSame(
    old?.attachments.map(({ content_base64 = '' }) => Buffer.from(content_base64, 'base64').toString()),
    [`${long}z`],
    'also in the archive',
  );
  t.strictSame(body.left_out.slice(0, 2), [
    `List name "${'🎪'.repeat(60)}…" is longer than 255 characters: file "list name.txt" of card "Card" has all of it.`,
    `Description "Long 🎪 ${'y'.repeat(53)}…" of card "Card" is longer than ${CARD_TEXT_CHARACTERS} characters: its file "description.txt" has all of it.`,
  ]);
  t.equal(body.left_out.length, 6);
});

t.test('TRANSFER6 a long text whose file would exceed a limit is cut, and the report says which', async (t) => {
  const long = 'y'.repeat(CARD_TEXT_CHARACTERS + 1);
  const importWith = async (json: object, limits: Partial<BoardLimits> = {}, maxFileBytes = 1_000_000) => {
    const text = [Buffer.from(JSON.stringify(json))];
    const request = { text, boardId: ids.fresh(), importer: ann, now: '2030-01-01T00:00:00.000Z', files: [], maxFileBytes };
    const { imported, newFiles, left_out } = await planBoard(request, () => Promise.reject(new Error('not asked')), { ...DEFAULT_LIMITS, ...limits });
    t.equal(imported['attachments'], newFiles.length);
    return [newFiles.length, ...left_out.map((sentence) => sentence.replace(/^.* characters(: | and )/, ''))];
  };
  const cards = ['a', 'b'].map((name) => ({ id: name, idList: 'l', name, desc: long }));
  const two = { name: 'Board', lists: [{ id: 'l', name: 'List' }], cards };
  const kept = 'its file "description.txt" has all of it.';
  const noRoom = 'was cut: there is no room for another file.';
  t.strictSame(await importWith(two), [2, kept, kept]);
  t.strictSame(await importWith(two, {}, long.length - 1), [0, ...Array<string>(2).fill('was cut: it is larger than the file limit.')]);
  t.strictSame(await importWith(two, { items: 1 }), [1, kept, noRoom]);
  t.strictSame(await importWith(two, { attachmentBytes: 2 * long.length - 1 }), [1, kept, noRoom]);
  const { document } = fromTrello(v.parse(TrelloBoard, two), new Omissions());
  const sources = { importer: ann, people: new Map(), notInvited: new Set<string>(), takeFile: () => ({ kind: 'missing' }) as const };
  const { bytes } = measurePlan(planImport(document, sources, new Omissions()));
  t.strictSame(await importWith(two, { bytes }), [0, noRoom, noRoom]);
  const empty = { ...two, name: 'x'.repeat(300), cards: [] };
  t.strictSame(await importWith(empty), [0, 'was cut: the board has no card that could have it as a file.']);
  const items = Array.from({ length: 501 }, () => ({ name: long }));
  const crowded = { ...two, cards: [{ ...cards[0], desc: '', idChecklists: ['k'] }], checklists: [{ id: 'k', name: 'Steps', checkItems: items }] };
  const titles = Array.from({ length: 1_001 }, (_, n) => ({ id: `${n}`, idList: 'l', name: 'x'.repeat(256) }));
  const [titled, ...others] = await importWith({ ...two, cards: titles });
  t.equal(titled, 1_000);
  t.ok(others.length < 1_001 && /^… and \d+ texts more/.test(`${others.at(-1)}`), 'all are counted');
  t.strictSame((await importWith(crowded)).slice(-2), ['its file "item 500.txt" has all of it.', noRoom], 'a card has at most 500 files');
});

/** A board with one card. */
function parsed(card: object, board: object = {}): TrelloBoard {
  return v.parse(TrelloBoard, {
    name: 'Board',
    lists: [{ id: 'l', name: 'List' }],
    cards: [{ id: 'c', idList: 'l', name: 'Card', ...card }],
    ...board,
  });
}

t.test("TRELLO1 each of a thousand files that need Trello's login is named with its address, and a link that is none too", async (t) => {
  const files = Array.from({ length: 1_000 }, (_, n) => ({ name: `${n}.pdf`, url: `https://trello.com/${'x'.repeat(100)}/${n}`, isUpload: true }));
  const leftOut = new Omissions();
  fromTrello(parsed({ attachments: [...files, { name: 'Run', url: 'javascript:run()', isUpload: false }] }), leftOut);
  t.equal(leftOut.notes.length, 1_001);
  const place = `https://trello.com/${'x'.repeat(100)}/999`;
  t.strictSame(leftOut.notes.slice(-2), [
    `File "999.pdf" of card "Card": the export does not contain it, and it needs Trello's own login. It is at ${place}`,
    'Link "Run" of card "Card": its address is not that of a web page, or too long.',
  ]);
});

t.test('TRELLO1 a report is bounded in bytes: it counts the things that it does not name, and keeps its summaries', async (t) => {
  const files = Array.from({ length: 2_000 }, () => ({ name: '\u0001'.repeat(255), url: 'https://trello.com/file', isUpload: true }));
  const leftOut = new Omissions();
  fromTrello(parsed({ attachments: files, due: 'soon' }), leftOut);
  const [rest = '', ...summaries] = leftOut.notes.slice(-2);
  const unnamed = Number(/^… and (\d+) files more/.exec(rest)?.[1]);
  t.equal(leftOut.notes.length - 2 + unnamed, files.length, rest);
  t.strictSame(summaries, ['1 date cannot be read, or begins after the card is due.']);
  t.ok(Buffer.byteLength(JSON.stringify(leftOut.notes)) < 300_000);
});

t.test('TRELLO1 an export with the most actions that Trello gives says from when on comments are missing', async (t) => {
  const comment = { type: 'commentCard', data: { text: 'Yes', card: { id: 'c' } } };
  const actions = Array.from({ length: 1_000 }, (_, n) => ({ ...comment, date: new Date(Date.UTC(2024, 0, 1) - n * 60_000).toISOString() }));
  const notesOf = (given: readonly object[]): readonly string[] => {
    const leftOut = new Omissions();
    t.equal(fromTrello(parsed({}, { actions: given }), leftOut).document.columns[0]?.cards[0]?.comments.length, given.length);
    return leftOut.notes;
  };
  t.strictSame(notesOf(actions), ['Comments before 2023-12-31T07:21:00.000Z: the export has only the last 1000 actions.']);
  t.strictSame(notesOf(actions.slice(1)), [], 'a shorter one has all of them');
  const undated = actions.map((action, n) => (n < 999 ? action : { ...action, date: null }));
  t.match(notesOf(undated), [/^Comments before 2023-12-31T07:22:00.000Z: /], 'the oldest action with a time counts');
});

t.test('TRELLO1 what an export names a thousand times is imported once', async (t) => {
  const times = <T>(thing: T): T[] => Array.from({ length: 1_000 }, () => thing);
  const board = v.parse(TrelloBoard, {
    name: 'Often',
    lists: times({ id: 'l', name: 'List' }),
    cards: times({ id: 'c', idList: 'l', name: 'Card', idChecklists: ['k', 'k'] }),
    checklists: [{ id: 'k', name: 'Steps', checkItems: times({ name: 'One' }) }],
    actions: times({ type: 'commentCard', data: { text: 'Yes', card: { id: 'c' } } }),
  });
  const { columns } = fromTrello(board, new Omissions()).document;
  t.strictSame([columns.length, columns[0]?.cards.length, columns[1]?.cards.length], [1_000, 1_000, 0]);
  t.strictSame(
    columns[0]?.cards.slice(0, 2).map(({ checklists, comments }) => [checklists.length, comments.length]),
    [
      [1, 1_000],
      [0, 0],
    ],
  );
});

t.test('TRELLO1 comments that came with a copied card are imported, and no odd name or address makes an import fail', async (t) => {
  const { api } = await startTestApp(t);
  const { token } = await newUser(api);
  const json = {
    name: 'Odd',
    lists: [{ id: 'l', name: 'List' }],
    cards: [{ id: 'c', idList: 'l', name: 'Card', attachments: [{ name: 'a\u0000\ud800', url: 'https://example.org/', isUpload: false }] }],
    members: [
      { id: 'm', fullName: 'Long', username: 'long', email: `${'a'.repeat(300)}@example.org` },
      { id: 'n', fullName: '🎪'.repeat(300), email: 'nobody@example.org' },
    ],
    actions: [
      { type: 'copyCommentCard', data: { text: 'Copied', card: { id: 'c' } }, memberCreator: { id: 'm', fullName: `L\u0000${'🎪'.repeat(300)}` } },
    ],
  };
  const { status, body } = await api.request<v.InferOutput<typeof resources.ImportedBoard>>('POST', '/boards/import', { token, json });
  t.equal(status, 201, JSON.stringify(body));
  t.match(body.imported, { comments: 1, attachments: 1, members: 0 });
  const { body: board } = await api.request<BoardJson>('GET', `/boards/${body.board.id}`, { token });
  const [card] = board.columns[0]?.cards ?? [];
  t.match(card, { attachments: [{ name: 'a\ufffd' }] });
  const { body: page } = await api.request<{ comments: object[] }>('GET', `/cards/${card?.id ?? ''}/comments`, { token });
  t.match(page.comments, [{ body: 'Copied', author_name: `L${'🎪'.repeat(253)}` }]);
});

t.test('TRELLO1 admins of a Trello board become owners, and observers viewers who are not assigned', async (t) => {
  const people = [
    ['ada', 'admin'],
    ['bo', 'normal'],
    ['cy', 'observer'],
  ] as const;
  const board = v.parse(TrelloBoard, {
    name: 'Roles',
    lists: [],
    cards: [],
    members: people.map(([id]) => ({ id, email: `${id}@example.org`, fullName: id, username: id })),
    memberships: people.map(([idMember, memberType]) => ({ idMember, memberType })),
  });
  t.strictSame(
    fromTrello(board, new Omissions()).document.members.map(({ role }) => role),
    ['owner', 'member', 'viewer'],
  );
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
