import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { MAX_STATES_PER_BOARD, type PresenceSnapshot, type Connection } from '../../src/domain/ports/presence.js';
import type { Notice } from '../../src/partitions/messages.js';
import { BoardPresence } from '../../src/shard/presence/boardPresence.js';
import { range } from '../support/realtime/realtimeBoard.js';

const LIFETIME_MS = 50;
const REBUILD_MS = 100;
const BOARD = 'board';

type States = Readonly<Record<number, string>>;

/** What a client on the board knows: the states and users when it joined, and every notice since. */
class Witness {
  readonly #states = new Map<number, { readonly user_id: string; readonly state: string }>();
  readonly #online = new Set<string>();

  constructor({ online, states }: PresenceSnapshot = { online: [], states: [] }) {
    for (const { user_id } of online) this.#online.add(user_id);
    for (const { connection_id, user_id, state } of states) this.#states.set(connection_id, { user_id, state: state ?? '' });
  }

  hear(notices: readonly Notice[]): void {
    for (const notice of notices) {
      if (notice.kind === 'board.presence') this.#hearPresence(notice.message);
      if (notice.kind !== 'board.state') continue;
      const { connection_id, user_id, state } = notice.change;
      if (state === null) this.#states.delete(connection_id);
      else this.#states.set(connection_id, { user_id, state });
    }
  }

  get online(): string[] {
    return [...this.#online].sort();
  }

  get states(): States {
    return Object.fromEntries([...this.#states].map(([id, { state }]) => [id, state]));
  }

  #hearPresence({ type, user_id }: { readonly type: string; readonly user_id: string }): void {
    if (type === 'user_joined') {
      this.#online.add(user_id);
      return;
    }
    this.#online.delete(user_id);
    for (const [id, each] of [...this.#states]) if (each.user_id === user_id) this.#states.delete(id);
  }
}

function connectionOf(id: number, state?: string): Connection {
  const user_id = `user ${id % 3}`;
  return { id, board_id: BOARD, user_id, username: user_id, ...(state === undefined ? {} : { state }) };
}

function statesOf(presence: BoardPresence): States {
  return Object.fromEntries(presence.states(BOARD).map(({ connection_id, state }) => [connection_id, state ?? '']));
}

function onlineOf(presence: BoardPresence): string[] {
  return presence
    .list(BOARD)
    .map(({ user_id }) => user_id)
    .sort();
}

const step = fc.record({
  what: fc.constantFrom('join', 'state', 'state', 'refresh', 'leave', 'expire'),
  id: fc.integer({ min: 1, max: 9 }),
  state: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  /** The time since the step before. */
  afterMs: fc.integer({ min: 0, max: 20 }),
});

t.test('SHARE8 everyone on a board knows exactly the states of its live connections, from whenever they joined', async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const presence = new BoardPresence(LIFETIME_MS, 0, 0);
      const witnesses = [new Witness()];
      /** The connections with their ends, and their states. */
      const live = new Map<number, { end: number; state: string | undefined }>();
      let now = 0;
      for (const { what, id, state, afterMs } of steps) {
        now += afterMs;
        const end = now + LIFETIME_MS;
        const known = live.get(id)?.state;
        const notices = ((): Notice[] => {
          switch (what) {
            case 'join':
              live.set(id, { end, state: known });
              return [presence.join(connectionOf(id), now)];
            case 'state':
              live.set(id, { end, state });
              return presence.setState(connectionOf(id, state), now);
            case 'refresh':
              live.set(id, { end, state: known });
              return presence.refresh(connectionOf(id, known), now);
            case 'leave':
              live.delete(id);
              return presence.leave(connectionOf(id));
            default:
              for (const [each, { end: endOfEach }] of [...live]) if (endOfEach <= now) live.delete(each);
              return presence.expire(now);
          }
        })();
        for (const witness of witnesses) witness.hear(notices);
        if (what === 'join') witnesses.push(new Witness(presence.snapshotOf(BOARD)));
        const expected = Object.fromEntries([...live].flatMap(([each, { state: shown }]) => (shown === undefined ? [] : [[each, shown]])));
        assert.deepEqual(statesOf(presence), expected);
        for (const witness of witnesses) {
          assert.deepEqual(witness.states, expected);
          assert.deepEqual(witness.online, onlineOf(presence));
        }
      }
    }),
  );
});

t.test('SHARE36 someone who joins while a new owner learns the connections gets to know all of them', async () => {
  const others = fc.array(fc.record({ id: fc.integer({ min: 1, max: 9 }), atMs: fc.integer({ min: 0, max: 80 }), state: fc.constantFrom('1', '2') }));
  fc.assert(
    fc.property(others, fc.integer({ min: 0, max: 80 }), (refreshes, joinsAt) => {
      const presence = new BoardPresence(10 * LIFETIME_MS, 0, REBUILD_MS);
      const newcomer = connectionOf(100);
      let witness: Witness | null = null;
      for (const at of range(0, REBUILD_MS)) {
        if (at === joinsAt) {
          presence.join(newcomer, at);
          witness = new Witness(presence.snapshotOf(BOARD));
        }
        for (const { id, state } of refreshes.filter(({ atMs }) => atMs === at)) {
          const notices = presence.refresh(connectionOf(id, state), at);
          witness?.hear(notices);
        }
      }
      assert.deepEqual(witness?.states, statesOf(presence));
      assert.deepEqual(witness?.online, onlineOf(presence));
    }),
  );
});

t.test('SHARE19 a board has a bounded number of states: the one that changed longest ago ends, everywhere', async (t) => {
  const presence = new BoardPresence(LIFETIME_MS, 0, 0);
  const witness = new Witness();
  const perform = (notices: Notice[]): void => witness.hear(notices);
  for (const id of range(1, MAX_STATES_PER_BOARD)) perform(presence.setState(connectionOf(id, '1'), 0));
  perform(presence.setState(connectionOf(1, '2'), 0));
  t.equal(Object.keys(witness.states).length, MAX_STATES_PER_BOARD);
  perform(presence.setState(connectionOf(1_000, '1'), 0));
  t.strictSame([witness.states[1], witness.states[2], witness.states[1_000]], ['2', undefined, '1']);
  t.strictSame(witness.states, statesOf(presence));
  const notices = presence.refresh(connectionOf(2, '1'), 0);
  t.strictSame([notices, statesOf(presence)[2]], [[], undefined], 'and a heartbeat does not bring it back in the place of another');
  perform(presence.leave(connectionOf(1)));
  perform(presence.refresh(connectionOf(2, '1'), 0));
  t.equal(witness.states[2], '1', 'unless there is room again');
  t.strictSame(witness.states, statesOf(presence));
});
