/** Clients that change a board at the same time over a bad network: what they show, at every moment and in the end. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { ApiError, type BoardConnection, type FullBoard } from '../../src/client/index.js';
import { randomNumbers, seededRandom, type Random } from '../support/seededRandom.js';
import { PLANNED, play } from '../domain/randomCommands.js';
import { ann, ben, BOARD_ID, type Scenario } from '../domain/scenario.js';
import { readPosition, writePosition } from '../../src/domain/position.js';
import { essence, expectedBoard, type ExpectedChange } from './expectedBoard.js';
import { settled } from './fakeService.js';
import { randomChange } from './randomChanges.js';
import { SimulatedService, type Exchange, type SimulatedClient } from './simulatedService.js';
import { timeForRuns } from '../support/timeForRuns.js';

const RUNS = 80;
/** Enough for all runs on a slow machine; under load there are fewer runs. */
const MAX_MS = 20_000;
const MIN_STEPS = 50;
const MAX_STEPS = 250;
/** More than any run needs to come to rest. */
const MAX_ROUNDS = 5_000;

/** What can happen, and how often. */
const HAPPENINGS = {
  change: 10,
  'change by others': 4,
  'request arrives': 20,
  'answer arrives': 20,
  'message to the service': 10,
  'message to the client': 24,
  'request lost': 3,
  'answer lost': 3,
  'service busy': 1,
  timer: 3,
  'socket cut': 1,
  backup: 1,
  restore: 0.3,
} as const;

type Happening = keyof typeof HAPPENINGS;

/** Others must not take the clients' membership away. */
const OPERATIONS_OF_OTHERS = PLANNED.filter((op) => op !== 'member.remove');

/** A change of which the client must show the effect. */
interface ShownChange extends ExpectedChange {
  /** The position after it, as the answer gave it; null until then. */
  position: string | null;
}

interface Follower extends SimulatedClient {
  readonly connection: BoardConnection;
  /** In order. */
  shown: ShownChange[];
  /** The positions that answers gave, by the keys of their changes. */
  readonly positions: Map<string, string>;
  /** The board that was checked last. */
  checked: FullBoard | null;
}

interface OwnerCounts {
  confirmed: number;
  refused: number;
  /** Changes whose outcome the client never learned. */
  unknown: number;
  /** Moments at which a board with pending changes was shown. */
  pendingShown: number;
  /** Moments at which the confirmed copy was compared. */
  compared: number;
}

class World {
  readonly service = new SimulatedService();
  readonly followers: Follower[] = [];
  readonly #random: Random;
  readonly #counts: OwnerCounts;
  #backup: Scenario;
  #unique = 0;

  constructor(seed: number, counts: OwnerCounts) {
    this.#random = seededRandom(seed);
    this.#counts = counts;
    this.#backup = this.service.save();
    for (const user of [ann, ben]) {
      const made = this.service.newClient(user, randomNumbers(seed + this.followers.length));
      const connection = made.client.connect(BOARD_ID);
      this.followers.push({ ...made, connection, shown: [], positions: new Map(), checked: null });
    }
  }

  async happen(): Promise<void> {
    const total = Object.values(HAPPENINGS).reduce((sum, weight) => sum + weight, 0);
    let at = (this.#random.below(1_000_000) / 1_000_000) * total;
    for (const [happening, weight] of Object.entries(HAPPENINGS)) {
      at -= weight;
      if (at >= 0) continue;
      this.#perform(happening as Happening, this.#random.pick(this.followers));
      break;
    }
    await settled();
    this.check();
  }

  #perform(happening: Happening, follower: Follower): void {
    const { service } = this;
    const random = this.#random;
    const sent = follower.exchanges.filter(({ reply }) => reply === null);
    const answered = follower.exchanges.filter(({ reply }) => reply !== null);
    const socket = follower.sockets.at(-1);
    switch (happening) {
      case 'change':
        return this.#change(follower);
      case 'change by others':
        return this.#changeByOthers();
      case 'request arrives':
        if (sent.length > 0) service.arrive(random.pick(sent));
        return;
      case 'answer arrives':
        if (answered.length > 0) this.#deliver(follower, random.pick(answered));
        return;
      case 'message to the service':
        return socket && service.receive(socket, random.below(4) > 0);
      case 'message to the client':
        return socket?.deliver();
      case 'request lost':
        return this.#drop(follower, sent, new TypeError('request lost'));
      case 'answer lost':
        return this.#drop(follower, answered, new TypeError('answer lost'));
      case 'service busy':
        return this.#drop(follower, sent, { status: 503, text: '{"detail":"Busy"}', headers: {} });
      case 'timer':
        if (follower.clock.waits.length > 0) follower.clock.fire();
        return;
      case 'socket cut':
        return socket?.cut();
      case 'backup':
        this.#backup = service.save();
        return;
      case 'restore':
        service.restore(random.pick([this.#backup, service.save()]));
        this.#backup = service.save();
    }
  }

  #change(follower: Follower): void {
    const { connection, positions } = follower;
    if (connection.board === null) return;
    const change = randomChange(connection.board, (list) => this.#random.pick(list));
    const key = this.#newKey();
    const shown: ShownChange = { change, id: BOARD_ID.slice(0, 13) + key.slice(13), position: null };
    follower.shown.push(shown);
    // The types of a union of argument lists cannot be spread.
    const make = connection.change as (name: string, ...args: readonly unknown[]) => Promise<unknown>;
    make.call(connection, change.name, ...change.args, { idempotencyKey: key }).then(
      () => {
        this.#counts.confirmed += 1;
        shown.position = positions.get(key) ?? null;
        this.#forgetReached(follower);
      },
      (error: unknown) => {
        this.#counts[error instanceof ApiError && error.status !== 503 ? 'refused' : 'unknown'] += 1;
        follower.shown = follower.shown.filter((other) => other !== shown);
      },
    );
  }

  /** Not the client's own random one, so that a run can be repeated. */
  #newKey(): string {
    const digits = (count: number): string => Array.from({ length: count }, () => this.#random.below(16).toString(16)).join('');
    return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
  }

  #changeByOthers(): void {
    const { service } = this;
    const picks = Array.from({ length: 10 }, () => this.#random.below(1000));
    const step = { op: this.#random.pick(OPERATIONS_OF_OTHERS), picks };
    this.#unique += 1;
    const result = play(service.scenario, step, this.#unique);
    if (result.events.length > 0) service.publish(result, this.#random.below(8) === 0);
  }

  #deliver({ exchanges, positions }: Follower, exchange: Exchange): void {
    const { request, reply, settle } = exchange;
    if (reply === null) return;
    exchanges.splice(exchanges.indexOf(exchange), 1);
    const position = reply.headers['board-position'];
    if (position !== undefined) positions.set(request.key, position);
    settle(reply);
  }

  /** The client gets something else, or nothing. */
  #drop({ exchanges }: Follower, from: readonly Exchange[], instead: Parameters<Exchange['settle']>[0]): void {
    if (from.length === 0) return;
    const exchange = this.#random.pick(from);
    exchanges.splice(exchanges.indexOf(exchange), 1);
    exchange.settle(instead);
  }

  /** What must hold at every moment. */
  check(): void {
    for (const follower of this.followers) {
      const { connection, checked } = follower;
      const { confirmed, board, position, pending } = connection;
      this.#forgetReached(follower);
      assert.equal(pending, follower.shown.length, 'a change is pending until its event has arrived');
      if (confirmed === null || board === checked) continue;
      follower.checked = board;
      if (pending === 0) assert.equal(board, confirmed, 'without pending changes nothing else is shown');
      // Within a command, which may have several events, there is nothing to compare with.
      const known = this.service.history.get(position);
      if (known === undefined || board === null) continue;
      this.#counts.compared += 1;
      assert.deepEqual(confirmed, JSON.parse(known.json), `the confirmed copy is the board at ${position}`);
      if (pending === 0) continue;
      this.#counts.pendingShown += 1;
      const expected = expectedBoard(known.records, follower.shown);
      assert.deepEqual(essence(board), expected, `${JSON.stringify(follower.shown)} are shown on the board at ${position}`);
    }
  }

  #forgetReached(follower: Follower): void {
    follower.shown = follower.shown.filter(({ position }) => !isReached(position, follower.connection.position));
  }

  /** Everything arrives, and nothing more is lost. */
  async rest(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const isMoving = this.followers.map((follower) => this.#moveAll(follower)).includes(true);
      await settled();
      this.check();
      if (isMoving) continue;
      const restless = this.followers.filter(({ connection }) => connection.pending > 0 || connection.state.kind !== 'live');
      if (restless.length === 0) return;
      for (const { clock } of restless) if (clock.waits.length > 0) clock.fire();
      await settled();
    }
    throw new Error('the clients do not come to rest');
  }

  #moveAll(follower: Follower): boolean {
    const { exchanges, sockets } = follower;
    let isMoving = false;
    for (const exchange of [...exchanges]) {
      isMoving = true;
      this.service.arrive(exchange);
      this.#deliver(follower, exchange);
    }
    for (const socket of sockets) {
      while (socket.isOpen && socket.toService.length + socket.toClient.length > 0) {
        isMoving = true;
        this.service.receive(socket, true);
        socket.deliver();
      }
    }
    return isMoving;
  }
}

/**
 * Whether a copy at that position includes a change that left the board at the first one. In another epoch that cannot
 * be known; then the change is no longer shown.
 */
function isReached(change: string | null, copy: string): boolean {
  if (change === null) return false;
  const [changed, known] = [readPosition(change), readPosition(copy)];
  return changed?.epoch !== known?.epoch || (changed?.seq ?? 0) <= (known?.seq ?? 0);
}

t.test('CLIENT44 clients with pending changes agree with the service, whatever the network does', async (t) => {
  const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
  t.comment(`PROPERTY_SEED=${seed} runs this again`);
  const counts: OwnerCounts = { confirmed: 0, refused: 0, unknown: 0, pendingShown: 0, compared: 0 };
  const isTime = timeForRuns(MAX_MS);
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: MIN_STEPS, max: MAX_STEPS }), async (worldSeed, steps) => {
      if (!isTime()) return;
      const world = new World(worldSeed, counts);
      for (let step = 0; step < steps; step += 1) await world.happen();
      await world.rest();
      for (const { connection } of world.followers) {
        assert.deepEqual(connection.board, JSON.parse(world.service.board), 'at rest everyone shows the board of the service');
        assert.equal(connection.position, writePosition(world.service.position));
        connection.close();
      }
    }),
    { seed, numRuns: RUNS, includeErrorInReport: true },
  );
  t.comment(JSON.stringify(counts));
  for (const what of ['confirmed', 'refused', 'pendingShown', 'compared'] as const) t.ok(counts[what] > 0, what);
});
