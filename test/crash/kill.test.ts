import { randomInt } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Uuid } from '../../src/domain/ids.js';
import { Replica } from '../domain/replica.js';
import type { WireBoard, WireCard, WireEvent } from '../domain/wire.js';
import { Api } from '../support/http/api.js';
import { CrashWriter, type CardState, type Workplace } from '../support/store/crashWriter.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { newUser, type TestUser } from '../support/http/users.js';

const ROUNDS = 4;
const WRITERS = 6;
const SETTINGS = { SHARDS: '2', SHARD_THREADS: '1', LOG_LEVEL: 'info' };

interface World {
  readonly owner: TestUser;
  /** Invited and removed in turn, after each restart. */
  readonly canary: TestUser;
  readonly writers: readonly CrashWriter[];
  /** As they were before the first write. */
  readonly workplaces: readonly (Workplace & { readonly before: Snapshot })[];
}

interface Snapshot {
  readonly board: WireBoard;
  readonly seq: number;
}

type NumberedEvent = WireEvent & { readonly seq: number };

t.test('CRASH1 every acknowledged change survives a kill, and nothing is half done', async (t) => {
  t.setTimeout(120_000);
  const folder = await temporaryFolder(t);
  const settings = { ...SETTINGS, DATA_DIR: folder };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  let api = await Api.connect(service.url);
  const world = await newWorld(api);
  let interrupted = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const acknowledged = await writeUntilKilled(api, service, world.writers);
    interrupted += world.writers.flatMap(unansweredOf).length;
    service = await ServiceProcess.start(settings);
    api = await Api.connect(service.url);
    await t.test(`round ${round}, killed after ${acknowledged} acknowledged changes`, (t) => checkWorld(t, api, world));
  }
  t.ok(interrupted > 0, 'changes were under way when the service was killed');
});

async function newWorld(api: Api): Promise<World> {
  const people = await Promise.all(Array.from({ length: 2 + 2 * WRITERS }, () => newUser(api)));
  const [owner, canary, ...others] = people;
  if (owner === undefined || canary === undefined) throw new Error('a user is missing');
  const [users, guests] = [others.slice(0, WRITERS), others.slice(WRITERS)];
  const places = await Promise.all([newWorkplace(api, owner, users), newWorkplace(api, owner, users)]);
  const workplaces = await Promise.all(
    places.map(async (place) => ({ ...place, before: await snapshot(api, owner, place.board) })),
  );
  const writers = users.map((user, n) => {
    const [guest, workplace] = [guests[n], workplaces[n % workplaces.length]];
    if (guest === undefined || workplace === undefined) throw new Error('a writer has nothing to do');
    return new CrashWriter(user, guest, workplace);
  });
  return { owner, canary, writers, workplaces };
}

async function newWorkplace(api: Api, owner: TestUser, users: readonly TestUser[]): Promise<Workplace> {
  const { token } = owner;
  const make = async (path: string, json: object): Promise<Uuid> =>
    (await api.request<{ id: Uuid }>('POST', path, { token, json })).body.id;
  const board = await make('/boards', { title: 'Plans' });
  const column = (title: string): Promise<Uuid> => make(`/boards/${board}/columns`, { title });
  const [todo, doing] = [await column('To do'), await column('Doing')];
  const [review, done] = [await column('Review'), await column('Done')];
  const label = await make(`/boards/${board}/labels`, { name: 'finished' });
  const rules = `/boards/${board}/automations`;
  const onMove = { name: 'review', trigger_type: 'CARD_MOVED', trigger_column_id: review };
  await make(rules, { ...onMove, action_type: 'ASSIGN_MEMBER', action_user_id: owner.id });
  const onLabel = { name: 'done', trigger_type: 'LABEL_ADDED', trigger_label_id: label };
  await make(rules, { ...onLabel, action_type: 'MOVE_TO_COLUMN', action_column_id: done });
  for (const { id: user_id } of users) {
    await api.request('POST', `/boards/${board}/invite`, { token, json: { user_id } });
    await api.request('PATCH', `/boards/${board}/members/${user_id}`, { token, json: { role: 'owner' } });
  }
  return { board, todo, doing, review, done, label };
}

/** Returns how many changes were acknowledged. */
async function writeUntilKilled(api: Api, service: ServiceProcess, writers: readonly CrashWriter[]): Promise<number> {
  const enough = randomInt(40, 240);
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const count = (): void => {
    acknowledged += 1;
    if (acknowledged === enough) killed = service.kill();
  };
  await Promise.all(writers.map((writer) => writer.write(api, count)));
  await killed;
  return acknowledged;
}

function unansweredOf({ cards, membership }: CrashWriter): unknown[] {
  return [...cards, membership].filter(({ unanswered }) => unanswered !== undefined);
}

async function checkWorld(t: Test, api: Api, world: World): Promise<void> {
  const { owner, writers, workplaces } = world;
  for (const place of workplaces) {
    await hearOldNews(api, world, place.board);
    const now = await snapshot(api, owner, place.board);
    const events = await eventsAfter(api, owner, place.board, place.before.seq);
    const local = writers.filter(({ workplace }) => workplace.board === place.board);
    checkPromises(t, local, now.board);
    checkAutomation(t, place, owner, now.board, events);
    checkLog(t, place.before, events, now);
  }
  await checkMemberships(t, api, world);
}

/** A shard delivers to the directory in order: when this change is answered, all earlier ones have arrived. */
async function hearOldNews(api: Api, { owner, canary }: World, board: Uuid): Promise<void> {
  const { token } = owner;
  const present = await snapshot(api, owner, board);
  if (present.board.members.some(({ user_id }) => user_id === canary.id)) {
    await api.request('DELETE', `/boards/${board}/members/${canary.id}`, { token });
  } else {
    await api.request('POST', `/boards/${board}/invite`, { token, json: { user_id: canary.id } });
  }
}

/** Exactly what was acknowledged, except for one unanswered request of each writer. */
function checkPromises(t: Test, writers: readonly CrashWriter[], board: WireBoard): void {
  const found = new Map<Uuid, CardState>();
  for (const card of cardsOf(board)) found.set(card.id, { title: card.title, column: card.column_id });
  const expected = new Set<string>();
  for (const writer of writers) {
    const isMember = board.members.some(({ user_id }) => user_id === writer.guest.id);
    const { acknowledged, unanswered } = writer.membership;
    if (isMember !== acknowledged) t.equal(isMember, unanswered, 'a membership is as it was acknowledged');
    for (const { id, acknowledged, unanswered } of writer.cards) {
      const byTitle = [...found].find(([, { title }]) => title === unanswered?.title);
      const state = (id === undefined ? byTitle?.[1] : found.get(id)) ?? null;
      if (state !== null) expected.add(state.title);
      if (!isSame(state, acknowledged)) t.strictSame(state, unanswered, 'a card is as it was acknowledged');
    }
    writer.settle(found, isMember);
  }
  const titles = cardsOf(board).map(({ title }) => title);
  t.strictSame(titles.toSorted(), [...expected].toSorted(), 'there are no other cards, and none twice');
}

/** The effect of a rule is there if and only if its trigger is. */
function checkAutomation(
  t: Test,
  { review, done }: Workplace,
  owner: TestUser,
  board: WireBoard,
  events: readonly NumberedEvent[],
): void {
  const isAssigned = ({ assignees }: WireCard): boolean => assignees.some(({ id }) => id === owner.id);
  for (const card of cardsOf(board)) {
    if (card.column_id === review) t.ok(isAssigned(card), 'a card in review has the owner assigned');
    t.equal(card.labels.length > 0, card.column_id === done, 'the labelled cards are the ones that are done');
  }
  events.forEach(({ type, data, user_id }, index) => {
    const next = events[index + 1];
    const card = data as WireCard;
    if (type === 'card.labeled') t.match(next, { type: 'card.moved', data: { id: card.id }, user_id: null });
    if (type === 'card.moved' && user_id !== null && card.column_id === review && !isAssigned(card)) {
      t.match(next, { type: 'card.assigned', data: { id: card.id }, user_id: null });
    }
  });
}

function checkLog(t: Test, before: Snapshot, events: readonly NumberedEvent[], now: Snapshot): void {
  const numbers = Array.from({ length: now.seq - before.seq }, (_, n) => before.seq + n + 1);
  t.strictSame(events.map(({ seq }) => seq), numbers, 'the events have no gap');
  const replica = new Replica(before.board);
  for (const event of events) replica.apply(event);
  t.strictSame(inFixedOrder(replica.board), inFixedOrder(now.board), 'and lead to the current board');
}

/** Members who joined within one millisecond have no fixed order. */
function inFixedOrder(board: WireBoard): WireBoard {
  return { ...board, members: board.members.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)) };
}

async function checkMemberships(t: Test, api: Api, { owner, canary, writers, workplaces }: World): Promise<void> {
  const boards = await Promise.all(workplaces.map(({ board }) => snapshot(api, owner, board)));
  for (const { id, token } of [owner, canary, ...writers.flatMap(({ user, guest }) => [user, guest])]) {
    const { body } = await api.request<{ id: Uuid }[]>('GET', '/boards', { token });
    const joined = boards.filter(({ board }) => board.members.some(({ user_id }) => user_id === id));
    const expected = joined.map(({ board }) => board.id);
    t.strictSame(body.map((board) => board.id).toSorted(), expected.toSorted(), 'the list of boards agrees with them');
  }
}

async function snapshot(api: Api, { token }: TestUser, board: Uuid): Promise<Snapshot> {
  const { headers, body } = await api.request<WireBoard>('GET', `/boards/${board}`, { token });
  return { board: body, seq: Number(/\d+/.exec(headers.get('etag') ?? '')?.[0]) };
}

async function eventsAfter(api: Api, { token }: TestUser, board: Uuid, seq: number): Promise<NumberedEvent[]> {
  const events: NumberedEvent[] = [];
  for (let more = true; more; ) {
    const path = `/boards/${board}/events?since=${events.at(-1)?.seq ?? seq}`;
    const { body } = await api.request<{ events: NumberedEvent[] }>('GET', path, { token });
    events.push(...body.events);
    more = body.events.length > 0;
  }
  return events;
}

function cardsOf(board: WireBoard): WireCard[] {
  return board.columns.flatMap(({ cards }) => cards);
}

function isSame(a: CardState | null, b: CardState | null): boolean {
  return a?.title === b?.title && a?.column === b?.column;
}
