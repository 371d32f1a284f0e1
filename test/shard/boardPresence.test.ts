import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { BoardPresence } from '../../src/shard/presence/boardPresence.js';
import type { Notice } from '../../src/partitions/messages.js';
import type { Connection } from '../../src/domain/ports/presence.js';

const LIFETIME_MS = 50;
const BOARDS = ['board 0', 'board 1'] as const;

/** Three users, each with connections to both boards. */
function connectionOf(id: number): Connection {
  const user_id = `user ${id % 3}`;
  return { id, board_id: `board ${id % 2}`, user_id, username: user_id };
}

const who = ({ board_id, user_id }: Connection): string => `${user_id} on ${board_id}`;

/** Presence as a list of connections and their ends. */
class Model {
  readonly #ends = new Map<number, number>();

  do({ what, id }: Step, now: number): string[] {
    const before = this.online();
    const isNews = what === 'join' || (what === 'refresh' && !this.#ends.has(id));
    if (what === 'leave') this.#ends.delete(id);
    else if (what === 'expire') for (const [each, end] of this.#ends) if (end <= now) this.#ends.delete(each);
    if (what === 'join' || what === 'refresh') this.#ends.set(id, now + LIFETIME_MS);
    const after = new Set(this.online());
    const left = before.filter((each) => !after.has(each)).map((each) => `user_left: ${each}`);
    return [...(isNews ? [`user_joined: ${who(connectionOf(id))}`] : []), ...left].sort();
  }

  online(): string[] {
    return [...new Set([...this.#ends.keys()].map((id) => who(connectionOf(id))))].sort();
  }
}

interface Step {
  readonly what: 'join' | 'refresh' | 'leave' | 'expire';
  readonly id: number;
  /** The time since the step before. */
  readonly afterMs: number;
}

const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('join', 'refresh', 'leave', 'expire'),
    id: fc.integer({ min: 1, max: 12 }),
    afterMs: fc.integer({ min: 0, max: 20 }),
  }),
  { maxLength: 80 },
);

t.test('PRES1 under any sequence of joins, leaves and silences, presence equals the list of live connections', async () => {
  fc.assert(
    fc.property(steps, (all) => {
      const presence = new BoardPresence(LIFETIME_MS, 0, 0);
      const model = new Model();
      let now = 0;
      for (const step of all) {
        now += step.afterMs;
        assert.deepEqual(perform(presence, step, now).map(said).sort(), model.do(step, now));
        const online = BOARDS.flatMap((board) => presence.list(board).map(({ user_id }) => `${user_id} on ${board}`));
        assert.deepEqual(online.sort(), model.online());
      }
    }),
  );
});

function perform(presence: BoardPresence, { what, id }: Step, now: number): Notice[] {
  switch (what) {
    case 'join':
      return [presence.join(connectionOf(id), now)];
    case 'refresh':
      return presence.refresh(connectionOf(id), now);
    case 'leave':
      return presence.leave(connectionOf(id));
    case 'expire':
      return presence.expire(now);
  }
}

function said(notice: Notice): string {
  if (notice.kind !== 'board.presence') return notice.kind;
  return `${notice.message.type}: ${notice.message.user_id} on ${notice.board_id}`;
}
