import t, { type Test } from 'tap';
import type * as v from 'valibot';
import type * as resources from '../../src/api/schemas/resources.js';
import type { BoardJson, RuleJson } from '../support/board/boardSnapshot.js';
import { type World, enterWorld, send, startWorld } from '../support/board/boardWorld.js';
import { FILE_CONTENT, fileForm, populate } from '../support/board/populatedBoard.js';
import { sendRaw } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import type { TestUser } from '../support/http/users.js';

type DocumentJson = v.InferOutput<typeof resources.BoardDocument>;
type ImportJson = v.InferOutput<typeof resources.ImportedBoard>;

/** Shared by the tests that need no special settings. */
const shared = await enterWorld();

async function importAs(t: Test, { api }: World, user: TestUser, json: unknown): Promise<ImportJson> {
  const { status, body } = await api.request<ImportJson>('POST', '/boards/import', { token: user.token, json });
  t.equal(status, 201, JSON.stringify(body));
  return body;
}

/** A board without the parts that have a new identity after an import. */
function contentOf(board: BoardJson, rules: readonly RuleJson[]): unknown {
  const columnTitle = new Map(board.columns.map(({ id, title }) => [id, title]));
  const labelName = new Map(board.labels.map(({ id, name }) => [id, name]));
  return {
    title: board.title,
    description: board.description,
    labels: board.labels.map(({ name, color, created_at, updated_at }) => ({ name, color, created_at, updated_at })),
    columns: board.columns.map(({ title, color, is_done_column, created_at, cards }) => ({
      title,
      color,
      is_done_column,
      created_at,
      cards: cards.map((card) => ({
        title: card.title,
        description: card.description,
        created_at: card.created_at,
        updated_at: card.updated_at,
        labels: card.labels.map(({ name }) => name),
        assignees: card.assignees.map(({ id }) => id),
        attachments: card.attachments.map(({ name, mime_type, size }) => ({ name, mime_type, size })),
        checklists: card.checklists.map((checklist) => ({
          title: checklist.title,
          items: checklist.items.map(({ content, is_done, assignees }) => {
            return { content, is_done, assignees: assignees.map(({ id }) => id) };
          }),
        })),
      })),
    })),
    rules: rules.map((rule) => ({
      name: rule.name,
      trigger: rule.trigger_type,
      when: [columnTitle.get(rule.trigger_column_id ?? ''), labelName.get(rule.trigger_label_id ?? '')],
      action: [rule.action_type, columnTitle.get(rule.action_column_id ?? ''), rule.action_user_id],
      is_enabled: rule.is_enabled,
    })),
  };
}

async function readAll(world: World, as: TestUser, id: string): Promise<{ board: BoardJson; rules: RuleJson[] }> {
  const board = await send<BoardJson>(world, as, `GET /boards/${id}`);
  return { board, rules: await send<RuleJson[]>(world, as, `GET /boards/${id}/automations`) };
}

t.test('TRANSFER1 an exported and imported board is the same board with other ids', async (t) => {
  const world = shared;
  const { api, owner, member, helper } = world;
  const { board, card, item, label, todo } = await populate(world);
  await send(world, owner, `PATCH /items/${item.id}`, { is_done: true });
  await send(world, owner, `POST /boards/${board.id}/automations`, {
    name: 'Urgent ones first',
    trigger_type: 'LABEL_ADDED',
    trigger_label_id: label.id,
    action_type: 'MOVE_TO_COLUMN',
    action_column_id: todo.id,
  });
  const before = await readAll(world, owner, board.id);
  const exported = await api.request<DocumentJson>('GET', `/boards/${board.id}/export`, { token: owner.token });
  t.equal(exported.status, 200);
  t.equal(exported.headers.get('content-disposition'), `attachment; filename="board-${board.id}.json"`);
  const [file] = exported.body.columns[0]?.cards[0]?.attachments ?? [];
  t.equal(file?.content_base64, Buffer.from(FILE_CONTENT).toString('base64'));

  const outcome = await importAs(t, world, owner, exported.body);
  t.strictSame(outcome.left_out, []);
  t.equal(outcome.source, 'switchboard');
  t.strictSame(outcome.imported, {
    members: 3,
    labels: 2,
    columns: 3,
    cards: 3,
    checklists: 2,
    items: 2,
    attachments: 1,
    comments: 1,
    rules: 2,
  });
  const after = await readAll(world, owner, outcome.board.id);
  t.strictSame(contentOf(after.board, after.rules), contentOf(before.board, before.rules));

  const ids = (text: unknown): string[] => JSON.stringify(text).match(/(?<=")[0-9a-f]{8}-[0-9a-f-]{27}(?=")/g) ?? [];
  const people = [owner.id, member.id, helper.id];
  const same = ids(after).filter((id) => ids(before).includes(id) && !people.includes(id));
  t.strictSame(same, [], 'the boards share no id');

  const copy = after.board.columns[0]?.cards[0]?.attachments[0]?.id ?? '';
  await send(world, owner, `DELETE /cards/${card.id}`);
  const content = await api.request<Uint8Array>('GET', `/attachments/${copy}`, { token: owner.token });
  t.equal(Buffer.from(content.body).toString(), FILE_CONTENT, 'files are copies');
});

t.test('TRANSFER1 everyone on a board exports it, with the roles, and nobody else', async (t) => {
  const world = shared;
  const { board } = await populate(world);
  const path = `/boards/${board.id}/export`;
  const statuses = [];
  await send(world, world.owner, `PATCH /boards/${board.id}/members/${world.helper.id}`, { role: 'viewer' });
  for (const token of [world.helper.token, world.member.token, world.stranger.token, undefined]) {
    statuses.push((await world.api.request('GET', path, token === undefined ? {} : { token })).status);
  }
  t.strictSame(statuses, [200, 200, 403, 401]);
  const document = await send<{ members: object[] }>(world, world.helper, `GET ${path}`);
  const roles = ['owner', 'member', 'viewer'];
  t.match(
    document.members,
    roles.map((role) => ({ role })),
  );
  const imported = await send<{ board: { id: string } }>(world, world.owner, 'POST /boards/import', document);
  const copy = await send<object[]>(world, world.helper, `GET /boards/${imported.board.id}/members`);
  t.strictSame(copy.map((each) => (each as { role: string }).role).sort(), [...roles].sort());
});

t.test('TRANSFER1 members whose e-mail address is known are imported, and the board is on their list', async (t) => {
  const world = shared;
  const { owner, member, stranger } = world;
  const { board: created, left_out } = await importAs(t, world, stranger, {
    format: 'switchboard-board',
    version: 1,
    title: 'Moved house',
    members: [
      { email: owner.email.toUpperCase(), username: 'o', role: 'owner' },
      { email: member.email, username: 'm', role: 'member' },
      { email: 'gone@example.org', username: 'Gone', role: 'member' },
    ],
    columns: [{ id: 'c', title: 'One', cards: [{ title: 'Card', assignees: [member.email, 'gone@example.org'] }] }],
    rules: [
      {
        name: 'For the one who is gone',
        trigger_type: 'CARD_MOVED',
        trigger_column: 'c',
        action_type: 'ASSIGN_MEMBER',
        action_member: 'gone@example.org',
      },
    ],
  });
  t.strictSame(
    new Map(created.members.map(({ user_id, role }) => [user_id, role])),
    new Map([
      [owner.id, 'owner'],
      [member.id, 'member'],
      [stranger.id, 'owner'],
    ]),
  );
  t.strictSame(left_out, [
    'Member Gone (gone@example.org): no user has this e-mail address.',
    'Rule "For the one who is gone" is disabled: a column, label or member that it refers to is missing.',
    '1 assignment: the users are not members of the new board.',
  ]);
  const { board, rules } = await readAll(world, member, created.id);
  t.strictSame(
    board.columns[0]?.cards[0]?.assignees.map(({ id }) => id),
    [member.id],
  );
  t.match(rules, [{ is_enabled: false, action_user_id: null, trigger_column_id: board.columns[0]?.id }]);
  const boards = await send<Array<{ id: string; role: string }>>(world, member, 'GET /boards');
  t.match(boards.at(-1), { id: created.id, role: 'member' }, 'the list of a member has the board at once');
});

t.test('TRANSFER5 an invalid document is refused as a whole', async (t) => {
  const world = shared;
  const { api, owner } = world;
  const boards = await send(world, owner, 'GET /boards');
  const good = { format: 'switchboard-board', version: 1, title: 'Board' };
  const refusals: ReadonlyArray<readonly [json: unknown, status: number, detail: RegExp]> = [
    [{ ...good, format: 'other' }, 422, /^format: must be "switchboard-board"/],
    [{ ...good, version: 2 }, 422, /^version: must be 1/],
    [{ ...good, title: ' ' }, 422, /^title: /],
    [{ ...good, columns: [{ id: 'c', title: 'C', cards: [{ title: '' }] }] }, 422, /^columns\.0\.cards\.0\.title: /],
    [{ ...good, created_at: '2024-02-30T99:00:00Z' }, 422, /^created_at: /],
    [[good], 422, /^format: |^body: /],
    [attached('not base64!'), 400, /Base64/],
    [attached('QUJ'), 400, /Base64/],
  ];
  for (const [json, status, detail] of refusals) {
    const answer = await api.request<{ detail: string }>('POST', '/boards/import', { token: owner.token, json });
    t.equal(answer.status, status, JSON.stringify(answer.body));
    t.match(answer.body.detail, detail);
  }
  const headers = { 'content-type': 'text/plain' };
  t.equal((await api.request('POST', '/boards/import', { token: owner.token, body: '{}', headers })).status, 415);
  const broken = { token: owner.token, body: '{"format":', headers: { 'content-type': 'application/json' } };
  t.equal((await api.request('POST', '/boards/import', broken)).status, 400);
  t.equal((await api.request('POST', '/boards/import', { json: good })).status, 401);
  t.strictSame(await send(world, owner, 'GET /boards'), boards, 'there is no board of any of them');
});

function attached(content_base64: string, ...names: readonly string[]): object {
  const attachments = (names.length === 0 ? ['f'] : names).map((name) => ({ name, mime_type: 'text/plain', content_base64 }));
  const columns = [{ id: 'c', title: 'C', cards: [{ title: 'D', attachments }] }];
  return { format: 'switchboard-board', version: 1, title: 'B', columns };
}

t.test('TRANSFER5 a document may exceed the limit of other bodies, up to its own limit', async (t) => {
  const world = await startWorld(t, { MAX_IMPORT_BYTES: '3000000', MAX_ATTACHMENT_BYTES: '2000000' });
  const { app, api, owner } = world;
  const bytes = Buffer.alloc(1_500_001, 0xfb);
  const { board, left_out } = await importAs(t, world, owner, attached(bytes.toString('base64')));
  t.strictSame(left_out, []);
  const { board: full } = await readAll(world, owner, board.id);
  const id = full.columns[0]?.cards[0]?.attachments[0]?.id ?? '';
  const file = await api.request<Uint8Array>('GET', `/attachments/${id}`, { token: owner.token });
  t.ok(bytes.equals(file.body), 'the file is complete');
  const again = await api.request<DocumentJson>('GET', `/boards/${board.id}/export`, { token: owner.token });
  t.equal(again.body.columns[0]?.cards[0]?.attachments[0]?.content_base64, bytes.toString('base64'), 'and is exported completely');

  const large = attached('A'.repeat(3_000_000));
  const answer = await api.request<{ detail: string }>('POST', '/boards/import', { token: owner.token, json: large });
  t.equal(answer.status, 413);
  t.equal(answer.body.detail, 'body: must be at most 3000000 bytes');
  const head = [`Authorization: Bearer ${owner.token}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
  const chunked = await sendRaw(app.url, rawRequest('POST /boards/import', head), chunk, chunk, chunk);
  t.equal(chunked.status, 413, 'also without a declared length');
});

t.test('TRANSFER6 a file over the file limit is left out and reported', async (t) => {
  const world = await startWorld(t, { MAX_ATTACHMENT_BYTES: '10' });
  const { imported, left_out } = await importAs(t, world, world.owner, attached(Buffer.alloc(11).toString('base64'), 'f', '../g\n.txt'));
  t.equal(imported.attachments, 0);
  const reports = ['f', 'g.txt'].map((name) => `File "${name}" of card "D": it is larger than the file limit.`);
  t.strictSame(left_out, reports, 'with its clean name');
});

t.test('TRANSFER1 files of every length survive export and import', async (t) => {
  const world = shared;
  const { api, owner } = world;
  const { board, plainCard } = await populate(world);
  const sizes = [0, 1, 2, 3, 49_151, 49_152, 65_536, 200_000];
  for (const size of sizes) {
    const body = fileForm(
      new Uint8Array(size).map((_, at) => (at * 7 + size) % 256),
      `${size}`,
    );
    await api.request('POST', `/cards/${plainCard.id}/attachments`, { token: owner.token, body });
  }
  const { body: document } = await api.request<DocumentJson>('GET', `/boards/${board.id}/export`, { token: owner.token });
  const { board: copy } = await importAs(t, world, owner, document);
  const { board: full } = await readAll(world, owner, copy.id);
  const attachments = full.columns[0]?.cards[1]?.attachments ?? [];
  t.strictSame(
    attachments.map(({ size }) => size),
    sizes,
    'in their order',
  );
  for (const { id, size } of attachments) {
    const { body } = await api.request<Uint8Array>('GET', `/attachments/${id}`, { token: owner.token });
    t.ok(
      (body ?? new Uint8Array()).every((byte, at) => byte === (at * 7 + size) % 256),
      `${size} bytes`,
    );
  }
});

t.test('TRANSFER5 a document with too many cards, items and other things is refused, and leaves nothing', async (t) => {
  const { api, owner } = shared;
  const countBoards = async () => (await api.request<unknown[]>('GET', '/boards', { token: owner.token })).body.length;
  const before = await countBoards();
  const items = Array.from({ length: 50_000 }, () => ({ content: 'x' }));
  const cards = [{ title: 'many', checklists: [{ title: 'steps', items }] }];
  const documents = [
    { format: 'switchboard-board', version: 1, title: 'Large', columns: [{ id: 'a', title: 'A', cards }] },
    { name: 'Large', lists: [1, 2], cards: [3], checklists: [null, { checkItems: items }] },
  ];
  for (const json of documents) {
    const { status, body } = await api.request('POST', '/boards/import', { token: owner.token, json });
    t.equal(status, 413);
    t.match(body, { detail: /^body: has 50003 .* at most 50000 are allowed/ });
  }
  t.equal(await countBoards(), before);
});

t.test('ATT51 an import cleans the names of files as an upload does', async (t) => {
  const names: ReadonlyArray<readonly [given: string, kept: string]> = [
    ['../../../etc/cron.d/job', 'job'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Windows\\win.ini', 'win.ini'],
    ['..', 'file'],
    ['.\u0007.', 'file'],
    ['a/..', 'file'],
    ['folder/', 'file'],
    ['\u202e', 'file'],
    ['a\r\nSet-Cookie: b=c.txt', 'aSet-Cookie: b=c.txt'],
    ['two\u2028lines\u2029.txt', 'twolines.txt'],
    ['tab\tand\u001b[31mescape\u0085.txt', 'taband[31mescape.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['\u2067a\u2069\u200f.txt', 'a.txt'],
    ['Grüße "100%" 😀.txt', 'Grüße "100%" 😀.txt'],
    ['.profile', '.profile'],
  ];
  const { api, owner } = shared;
  const { board } = await importAs(t, shared, owner, attached('QUJD', ...names.map(([given]) => given)));
  const { board: full } = await readAll(shared, owner, board.id);
  const kept = names.map(([, name]) => name).sort();
  const namesOn = ({ columns }: Pick<BoardJson, 'columns'> | DocumentJson): string[] =>
    (columns[0]?.cards[0]?.attachments ?? []).map(({ name }) => name).sort();
  t.strictSame(namesOn(full), kept);
  const { body: document } = await api.request<DocumentJson>('GET', `/boards/${board.id}/export`, { token: owner.token });
  t.strictSame(namesOn(document), kept, 'and so has an export');
});

t.test('BODY8 the names of people in a document are checked like other texts', async (t) => {
  const { api, owner } = await enterWorld();
  const importOf = async (author_name: string): Promise<{ readonly status: number; readonly body: object }> => {
    const cards = [{ title: 'Card', comments: [{ body: 'Yes', author_name }] }];
    const json = { format: 'switchboard-board', version: 1, title: 'Names', columns: [{ id: 'c', title: 'To do', cards }] };
    return api.request<object>('POST', '/boards/import', { token: owner.token, json });
  };
  t.match(await importOf('a\0b'), { status: 422, body: { detail: /author_name: must not contain NUL/ } });
  t.match(await importOf('🎪'.repeat(256)), { status: 422, body: { detail: /author_name: must be at most 255 characters/ } });
  t.equal((await importOf('🎪'.repeat(255))).status, 201, 'characters are counted');
});
