/** Requests about boards that are sent twice with one key. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { boardKeyOf, idFromUuid } from '../../../src/domain/ids.js';
import type { ApiResponse } from '../../support/http/api.js';
import { ENDPOINTS, fill } from '../../support/board/boardEndpoints.js';
import { ScenarioBoard } from '../../support/board/boardScenario.js';
import type { AttachmentJson, BoardJson, CardJson, ColumnJson } from '../../support/board/boardSnapshot.js';
import { send, startWorld } from '../../support/board/boardWorld.js';
import { fileForm, populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { recordBoard } from '../../support/realtime/boardRecorder.js';
import { WITH_THREADS } from '../../support/service/app.js';

const world = await startWorld(t, { ...WITH_THREADS, MAX_BOARDS_PER_USER: '3' });
const { api, owner, member, stranger } = world;

interface Sent {
  readonly json?: unknown;
  readonly body?: FormData | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request with a key. */
function once<Body>(as: TestUser, key: string, request: string, sent: Sent = {}): Promise<ApiResponse<Body>> {
  const [method = '', path = ''] = request.split(' ');
  const headers = { ...sent.headers, 'idempotency-key': key };
  return api.request<Body>(method, path, { token: as.token, ...sent, headers });
}

function replayed({ headers }: ApiResponse): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

function sameAnswer(t: Test, first: ApiResponse, second: ApiResponse, name: string): void {
  const shown = ({ status, body, headers }: ApiResponse): unknown => [status, body, headers.get('board-position')];
  t.ok(first.status < 300, `${name}: succeeded`, { answer: first.body });
  t.strictSame(shown(second), shown(first), `${name}: the same answer`);
  t.strictSame([replayed(first), replayed(second)], [false, true], `${name}: the second is marked`);
}

t.test('IDEM1 every request that changes a board can be sent twice', async (t) => {
  for (const endpoint of ENDPOINTS.filter(({ request, isAside }) => !request.startsWith('GET') && isAside !== true)) {
    // Not the board of the world's owner, who may create a few boards only.
    const populated = await populate({ ...world, owner: await newUser(api) });
    const { board } = populated;
    const request = fill(endpoint.request, endpoint.ids(populated));
    const sent = (): Sent => (endpoint.file === true ? { body: fileForm() } : { json: endpoint.json?.(populated) });
    const recording = recordBoard(world, board.id);
    const key = randomUUID();
    const as = endpoint.only === 'author' ? board.world.member : board.world.owner;
    const first = await once(as, key, request, sent());
    const events = recording.messages.length;
    const second = await once(as, key, request.replace(/ /, ' /api'), sent());
    sameAnswer(t, first, second, endpoint.request);
    t.equal(recording.messages.length, events, `${endpoint.request}: no further event`);
    t.match(first.headers.get('board-position'), /^\d+$/, `${endpoint.request}: has a position`);
    if (request !== `DELETE /boards/${board.id}`) {
      t.equal(first.headers.get('board-position'), await positionOf(populated), `${endpoint.request}: that of the board`);
    }
    recording.stop();
  }
});

async function positionOf({ board }: PopulatedBoard): Promise<string | undefined> {
  const { headers } = await api.request('GET', `/boards/${board.id}`, { token: board.world.owner.token });
  return headers.get('etag')?.replaceAll('"', '');
}

t.test('IDEM2 the same key with another body, path or method is refused', async (t) => {
  const { card, plainCard, board } = await populate({ ...world, owner: await newUser(api) });
  const key = randomUUID();
  t.equal((await once(member, key, `PATCH /cards/${card.id}`, { json: { title: 'One' } })).status, 200);
  const others = [
    [`PATCH /cards/${card.id}`, { json: { title: 'Two' } }],
    [`PATCH /cards/${card.id}`, { json: { title: 3 } }],
    [`PATCH /cards/${plainCard.id}`, { json: { title: 'One' } }],
    [`POST /cards/${card.id}/move`, { json: { position: 0 } }],
    [`DELETE /cards/${card.id}`, {}],
    [`POST /cards/${card.id}/attachments`, { body: fileForm() }],
  ] as const;
  for (const [request, sent] of others) {
    const { status, body } = await once<{ detail: string }>(member, key, request, sent);
    t.strictSame([status, body.detail], [422, 'Idempotency-Key: was already used for another request'], request);
  }
  t.equal((await once(stranger, key, `PATCH /cards/${card.id}`, { json: { title: 'One' } })).status, 403, 'others have no access');
  const helper = await once<CardJson>(board.world.helper, key, `PATCH /cards/${card.id}`, { json: { title: 'Mine' } });
  t.strictSame([helper.status, helper.body.title, replayed(helper)], [200, 'Mine', false], 'keys of other users are others');
});

t.test('IDEM2 a key has 1 to 255 visible characters, and an invalid one is reported with the input', async (t) => {
  const { card, board } = await populate({ ...world, owner: await newUser(api) });
  const rename = (as: TestUser, key: string, path = `/cards/${card.id}`): Promise<ApiResponse<{ detail: string }>> =>
    once(as, key, `PATCH ${path}`, { json: { title: 'New' } });
  for (const key of ['x', '!"~', 'x'.repeat(255)]) t.equal((await rename(member, key)).status, 200, key.slice(0, 9));
  for (const key of ['', 'two words', 'x'.repeat(256), 'a, b', 'tab\there']) {
    const { status, body } = await rename(member, key);
    t.strictSame([status, body.detail], [422, 'Idempotency-Key: must have 1 to 255 visible characters'], key.slice(0, 9));
  }
  t.equal((await rename(stranger, '')).status, 403, 'after access');
  t.equal((await rename(member, '', `/cards/${randomUUID()}`)).status, 404);
  const uploads = await once(stranger, '', `POST /cards/${card.id}/attachments`, { body: fileForm() });
  t.equal(uploads.status, 403);
  t.equal((await once(member, '', `POST /cards/${card.id}/attachments`, { body: fileForm() })).status, 422);
  t.equal((await once(stranger, '', `POST /boards/${board.id}/invite`, { json: { user_id: owner.id } })).status, 403);
  t.equal((await once(board.world.owner, '', `POST /boards/${board.id}/invite`, { json: { user_id: stranger.id } })).status, 422);
  t.equal((await once(member, '', `GET /cards/${card.id}`)).status, 200, 'a read ignores it');
  t.equal((await once(member, '', 'POST /boards', { json: { title: 'A' } })).status, 422);
});

t.test('IDEM3 who has lost access gets 403, not the kept answer', async (t) => {
  const { board, card } = await populate({ ...world, owner: await newUser(api) });
  const key = randomUUID();
  const rename = (): Promise<ApiResponse> => once(member, key, `PATCH /cards/${card.id}`, { json: { title: 'Mine' } });
  t.equal((await rename()).status, 200);
  await board.do(board.world.owner, `DELETE /boards/${board.id}/members/${member.id}`);
  t.equal((await rename()).status, 403);
  await board.do(board.world.owner, `POST /boards/${board.id}/invite`, { user_id: member.id });
  t.ok(replayed(await rename()), 'a member again');
});

t.test('IDEM3 a repeated deletion is 204 again, for a thing, its board and a membership', async (t) => {
  const { board, card } = await populate({ ...world, owner: await newUser(api) });
  const deletions: ReadonlyArray<[TestUser, string]> = [
    [member, `DELETE /cards/${card.id}`],
    [member, `DELETE /boards/${board.id}/members/${member.id}`],
    [board.world.owner, `DELETE /boards/${board.id}`],
  ];
  const keys = deletions.map(() => randomUUID());
  const expectAgain = async (index: number): Promise<void> => {
    const [as, request] = deletions[index] ?? [member, ''];
    const again = await once(as, keys[index] ?? '', request);
    t.strictSame([again.status, replayed(again)], [204, true], request);
    t.equal((await once(as, randomUUID(), request)).status, 404, request);
  };
  for (const [index, [as, request]] of deletions.entries()) {
    t.equal((await once(as, keys[index] ?? '', request)).status, 204);
    await expectAgain(index);
  }
  for (const index of deletions.keys()) await expectAgain(index);
});

t.test('IDEM3 a refused request may be sent again with its key', async (t) => {
  const { card, unusedLabel } = await populate({ ...world, owner: await newUser(api) });
  const key = randomUUID();
  const request = `DELETE /cards/${card.id}/labels/${unusedLabel.id}`;
  t.equal((await once(member, key, request)).status, 404);
  await send(world, member, `POST /cards/${card.id}/labels/${unusedLabel.id}`);
  const second = await once(member, key, request);
  t.strictSame([second.status, replayed(second)], [204, false]);
});

t.test('IDEM17 two equal requests at once make one change, and both get its answer', async (t) => {
  const board = await ScenarioBoard.create({ ...world, owner: await newUser(api) });
  const key = randomUUID();
  const create = (): Promise<ApiResponse<ColumnJson>> => once(member, key, `POST /boards/${board.id}/columns`, { json: { title: 'Once' } });
  const answers = await Promise.all(Array.from({ length: 8 }, create));
  t.strictSame([...new Set(answers.map(({ status, body }) => `${status} ${body.id}`))], [`201 ${answers[0]?.body.id}`]);
  t.equal(answers.filter((answer) => !replayed(answer)).length, 1);
  t.equal((await board.look()).board.columns.length, 1);
});

t.test('IDEM23 a board is created once, and counts once', async (t) => {
  const ann = await newUser(api);
  const boards = async (): Promise<number> => (await send<BoardJson[]>(world, ann, 'GET /boards')).length;
  const create = (key: string, title = 'Mine'): Promise<ApiResponse<BoardJson>> => once(ann, key, 'POST /boards', { json: { title } });
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => create('first')));
  t.equal(new Set(atOnce.map(({ status, body }) => `${status} ${body.id}`)).size, 1);
  t.equal(atOnce[0]?.status, 201);
  t.equal(await boards(), 1);
  t.equal((await create('first', 'Another')).status, 422);
  t.equal((await Promise.all([create('raced', 'A'), create('raced', 'B'), create('raced', 'C')])).filter(({ status }) => status === 201).length, 1);
  t.equal((await create('third')).status, 201);
  t.equal((await create('fourth')).status, 409, 'at the limit: a refused or repeated request has freed no place');
  const again = await create('first');
  t.strictSame([again.status, replayed(again), again.body.id], [201, true, atOnce[0]?.body.id], 'a repetition needs no place');
  await send(world, ann, `DELETE /boards/${again.body.id}`);
  t.ok(replayed(await create('first')), 'also when the board is gone');
  t.equal(await boards(), 2);
  t.equal((await create('fourth')).status, 201, 'the deleted one made room');
});

t.test('IDEM23 a file is stored once, whatever the boundary of its form', async (t) => {
  const { card } = await populate({ ...world, owner: await newUser(api) });
  const request = `POST /cards/${card.id}/attachments`;
  const key = randomUUID();
  const [first, second] = await Promise.all([1, 2].map(() => once<AttachmentJson>(member, key, request, { body: fileForm() })));
  if (first === undefined || second === undefined) throw new Error('two were sent');
  t.strictSame([first.status, second.status, first.body], [201, 201, second.body]);
  t.equal([first, second].filter(replayed).length, 1);
  t.ok(replayed(await once(member, key, request, { body: fileForm() })));
  for (const other of [fileForm('other'), fileForm(undefined, 'other.txt'), fileForm(undefined, undefined, 'text/html')]) {
    t.equal((await once(member, key, request, { body: other })).status, 422);
  }
  const { body } = await api.request<CardJson>('GET', `/cards/${card.id}`, { token: member.token });
  t.strictSame(body.attachments.map(({ id }) => id).slice(1), [first.body.id]);
});

t.test('IDEM23 a document is imported once', async (t) => {
  const ann = await newUser(api);
  const { board } = await populate({ ...world, owner: await newUser(api) });
  const document = await send<object>(world, board.world.owner, `GET /boards/${board.id}/export`);
  const file = JSON.stringify(document);
  const importOnce = (key: string, body = file): Promise<ApiResponse<{ board: BoardJson }>> =>
    once(ann, key, 'POST /boards/import', { body, headers: { 'content-type': 'application/json' } });
  const [first, second] = await Promise.all([importOnce('a'), importOnce('a')]);
  t.strictSame([first.status, second.status, second.body], [201, 201, first.body]);
  t.equal([first, second].filter(replayed).length, 1);
  t.strictSame((await importOnce('a')).body, first.body);
  t.equal((await importOnce('a', `${file} `)).status, 422);
  const imported = await send<BoardJson>(world, ann, `GET /boards/${first.body.board.id}`);
  const attachments = imported.columns.flatMap(({ cards }) => cards.flatMap((card) => card.attachments));
  t.equal(attachments.length, 1);
  t.equal((await api.request('GET', `/attachments/${attachments[0]?.id}`, { token: ann.token })).status, 200, 'with its file');
  t.equal((await send<BoardJson[]>(world, ann, 'GET /boards')).length, 1);
});

t.test('IDEM10 a client knows the id of what it creates with a UUID as the key', async (t) => {
  const { board, card, todo } = await populate({ ...world, owner: await newUser(api) });
  const as = board.world.owner;
  const idFor = (key: string): string | null => idFromUuid(boardKeyOf(board.id), key);
  const creations: ReadonlyArray<[string, Sent]> = [
    [`POST /boards/${board.id}/columns`, { json: { title: 'A' } }],
    [`POST /boards/${board.id}/columns/${todo.id}/cards`, { json: { title: 'A' } }],
    [`POST /boards/${board.id}/labels`, { json: { name: 'A' } }],
    [`POST /cards/${card.id}/checklists`, { json: { title: 'A' } }],
    [`POST /cards/${card.id}/attachments`, { body: fileForm() }],
  ];
  for (const [request, sent] of creations) {
    const key = randomUUID();
    t.equal((await once<{ id: string }>(as, key, request, sent)).body.id, idFor(key), request);
  }
  const key = randomUUID();
  const upload = (user: TestUser): Promise<ApiResponse<AttachmentJson>> =>
    once(user, key, `POST /cards/${card.id}/attachments`, { body: fileForm() });
  const taken = await upload(as);
  const other = await upload(member);
  t.equal(taken.body.id, idFor(key));
  t.equal(other.status, 422, 'an id that is in use is not used again');
});
