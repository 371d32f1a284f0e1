/**
 * Boards on which writers work until the service is gone, and what must hold afterwards: exactly the acknowledged
 * changes, and of an unanswered one all or nothing. Problems are texts, so that a test can also expect them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Uuid } from '../../../src/domain/ids.js';
import { Replica } from '../../domain/replica.js';
import type { WireBoard, WireCard, WireEvent } from '../../domain/wire.js';
import type { Api } from '../http/api.js';
import { newUser, type TestUser } from '../http/users.js';
import { CrashWriter, type CardState, type Workplace } from './crashWriter.js';

export interface World {
  readonly owner: TestUser;
  /** Comes and goes after each restart. */
  readonly canary: TestUser;
  readonly writers: readonly CrashWriter[];
  /** As they were before the writers began. */
  readonly workplaces: readonly (Workplace & { readonly before: Snapshot })[];
}

export interface WorldSize {
  readonly writers: number;
  readonly workplaces: number;
  /** Each board is in another shard of these. */
  readonly shards?: number;
}

interface Snapshot {
  readonly board: WireBoard;
  readonly seq: number;
}

export type NumberedEvent = WireEvent & { readonly seq: number };

export async function newWorld(api: Api, size: WorldSize): Promise<World> {
  const people = await Promise.all(Array.from({ length: 2 + 2 * size.writers }, () => newUser(api)));
  const [owner, canary, ...others] = people;
  if (owner === undefined || canary === undefined) throw new Error('there are no users');
  const [users, guests] = [others.slice(0, size.writers), others.slice(size.writers)];
  const places: Workplace[] = [];
  while (places.length < size.workplaces) {
    const board = await newBoard(
      api,
      owner,
      places.map((place) => place.board),
      size.shards,
    );
    places.push(await newWorkplace(api, owner, users, board));
  }
  const workplaces = await Promise.all(places.map(async (place) => ({ ...place, before: await snapshot(api, owner, place.board) })));
  const writers = users.map((user, n) => {
    const [guest, workplace] = [guests[n], workplaces[n % workplaces.length]];
    if (guest === undefined || workplace === undefined) throw new Error('a writer has nothing to do');
    return new CrashWriter(user, guest, workplace);
  });
  return { owner, canary, writers, workplaces };
}

/** Chance decides the shard, so this repeats until it is another one than those of the given boards. */
async function newBoard(api: Api, { token }: TestUser, boards: readonly Uuid[], shards?: number): Promise<Uuid> {
  const shardOf = (board: Uuid): number => Number.parseInt(board.slice(0, 8), 16) % (shards ?? 1);
  for (;;) {
    const { body } = await api.request<{ id: Uuid }>('POST', '/boards', { token, json: { title: 'Plans' } });
    if (shards === undefined || !boards.some((board) => shardOf(board) === shardOf(body.id))) return body.id;
    await api.request('DELETE', `/boards/${body.id}`, { token });
  }
}

async function newWorkplace(api: Api, owner: TestUser, users: readonly TestUser[], board: Uuid): Promise<Workplace> {
  const { token } = owner;
  const make = async (path: string, json: object): Promise<Uuid> => (await api.request<{ id: Uuid }>('POST', path, { token, json })).body.id;
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

/** Also changes the boards: the canary comes or goes. */
export async function findProblems(api: Api, world: World): Promise<string[]> {
  const { owner, writers, workplaces } = world;
  const problems: string[] = [];
  for (const place of workplaces) {
    await awaitDeliveries(api, world, place.board);
    const now = await snapshot(api, owner, place.board);
    const events = await eventsAfter(api, owner, place.board, place.before.seq);
    const local = writers.filter(({ workplace }) => workplace.board === place.board);
    problems.push(...brokenPromises(local, now.board), ...wrongAutomation(place, owner, now.board, events), ...wrongLog(place.before, events, now));
  }
  return [...problems, ...(await wrongMemberships(api, world))];
}

/** What is found now is what the writers promise from now on. */
export async function settle(api: Api, { owner, writers, workplaces }: World): Promise<void> {
  for (const place of workplaces) {
    const { board } = await snapshot(api, owner, place.board);
    for (const writer of writers) {
      if (writer.workplace.board !== place.board) continue;
      writer.settle(statesOf(board), isMember(board, writer.guest));
    }
  }
}

/** A shard delivers to the directory in order: when this change is answered, all earlier ones have arrived. */
async function awaitDeliveries(api: Api, { owner, canary }: World, board: Uuid): Promise<void> {
  const { token } = owner;
  const present = await snapshot(api, owner, board);
  if (isMember(present.board, canary)) {
    await api.request('DELETE', `/boards/${board}/members/${canary.id}`, { token });
  } else {
    await api.request('POST', `/boards/${board}/invite`, { token, json: { user_id: canary.id } });
  }
}

/** Exactly what was acknowledged, except for one unanswered request of each writer. */
function brokenPromises(writers: readonly CrashWriter[], board: WireBoard): string[] {
  const found = statesOf(board);
  const expected: string[] = [];
  const problems: string[] = [];
  for (const { guest, membership, cards } of writers) {
    const isThere = isMember(board, guest);
    if (isThere !== membership.acknowledged && isThere !== membership.unanswered) {
      problems.push(`the membership of ${guest.username} is ${isThere}, and ${membership.acknowledged} was acknowledged`);
    }
    for (const { id, state } of cards) {
      const byTitle = [...found].find(([, { title }]) => title === state.unanswered?.title);
      const now = (id === undefined ? byTitle?.[1] : found.get(id)) ?? null;
      if (now !== null) expected.push(now.title);
      if (isDeepStrictEqual(now, state.acknowledged) || isDeepStrictEqual(now, state.unanswered)) continue;
      problems.push(`a card is ${JSON.stringify(now)}, and ${JSON.stringify(state.acknowledged)} was acknowledged`);
    }
  }
  const titles = cardsOf(board).map(({ title }) => title);
  const others = titles.filter((title, index) => !expected.includes(title) || titles.indexOf(title) !== index);
  return [...problems, ...others.map((title) => `the card ${title} was not written, or is there twice`)];
}

/** The effect of a rule is there if and only if its trigger is. */
function wrongAutomation({ review, done }: Workplace, owner: TestUser, board: WireBoard, events: readonly NumberedEvent[]): string[] {
  const problems: string[] = [];
  const isAssigned = ({ assignees }: WireCard): boolean => assignees.some(({ id }) => id === owner.id);
  for (const card of cardsOf(board)) {
    if (card.column_id === review && !isAssigned(card)) problems.push(`${card.title} is in review without the owner`);
    if (card.labels.length > 0 !== (card.column_id === done)) {
      problems.push(`${card.title} is labelled and not done, or done and not labelled`);
    }
  }
  events.forEach(({ type, data, user_id }, index) => {
    const card = data as WireCard;
    const isFollowedBy = (expected: string): boolean => {
      const next = events[index + 1];
      return next?.type === expected && next.data.id === card.id && next.user_id === null;
    };
    const triggersMove = type === 'card.labeled';
    const triggersAssignment = type === 'card.moved' && user_id !== null && card.column_id === review && !isAssigned(card);
    if (triggersMove && !isFollowedBy('card.moved')) problems.push(`the label of ${card.title} moved no card`);
    if (triggersAssignment && !isFollowedBy('card.assigned')) problems.push(`the move of ${card.title} assigned no user`);
  });
  return problems;
}

function wrongLog(before: Snapshot, events: readonly NumberedEvent[], now: Snapshot): string[] {
  const numbers = events.map(({ seq }) => seq);
  const expected = Array.from({ length: now.seq - before.seq }, (_, n) => before.seq + n + 1);
  if (!isDeepStrictEqual(numbers, expected)) {
    return [`the events after ${before.seq} are ${numbers.join(' ')}, and the board is at ${now.seq}`];
  }
  const replica = new Replica(before.board);
  for (const event of events) replica.apply(event);
  const isSame = isDeepStrictEqual(inFixedOrder(replica.board), inFixedOrder(now.board));
  return isSame ? [] : [`the events of board ${now.board.id} do not lead to the board as it is`];
}

/** Members who joined within one millisecond have no fixed order. */
function inFixedOrder(board: WireBoard): WireBoard {
  return { ...board, members: board.members.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)) };
}

async function wrongMemberships(api: Api, { owner, canary, writers, workplaces }: World): Promise<string[]> {
  const problems: string[] = [];
  const boards = await Promise.all(workplaces.map(({ board }) => snapshot(api, owner, board)));
  for (const user of [owner, canary, ...writers.flatMap((writer) => [writer.user, writer.guest])]) {
    const { body } = await api.request<{ id: Uuid }[]>('GET', '/boards', { token: user.token });
    const listed = body.map(({ id }) => id).toSorted();
    const joined = boards.filter(({ board }) => isMember(board, user)).map(({ board }) => board.id);
    if (!isDeepStrictEqual(listed, joined.toSorted())) {
      problems.push(`the list of ${user.username} has ${listed.join(' ')}, and the boards say ${joined.join(' ')}`);
    }
  }
  return problems;
}

async function snapshot(api: Api, { token }: TestUser, board: Uuid): Promise<Snapshot> {
  const { status, headers, body } = await api.request<WireBoard>('GET', `/boards/${board}`, { token });
  // A new epoch would say that numbers may be issued again: neither a kill nor a power cut is a reason.
  const seq = /^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1];
  if (seq === undefined) throw new Error(`GET /boards/${board} answered ${status} with ETag ${headers.get('etag')}`);
  return { board: body, seq: Number(seq) };
}

export async function eventsAfter(api: Api, { token }: TestUser, board: Uuid, seq: number): Promise<NumberedEvent[]> {
  const events: NumberedEvent[] = [];
  for (let more = true; more;) {
    const path = `/boards/${board}/events?since=${events.at(-1)?.seq ?? seq}`;
    const { status, body } = await api.request<{ events: NumberedEvent[] }>('GET', path, { token });
    if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
    events.push(...body.events);
    more = body.events.length > 0;
  }
  return events;
}

function statesOf(board: WireBoard): Map<Uuid, CardState> {
  return new Map(cardsOf(board).map((card) => [card.id, { title: card.title, column: card.column_id }]));
}

function cardsOf(board: WireBoard): WireCard[] {
  return board.columns.flatMap(({ cards }) => cards);
}

function isMember(board: WireBoard, { id }: TestUser): boolean {
  return board.members.some(({ user_id }) => user_id === id);
}
