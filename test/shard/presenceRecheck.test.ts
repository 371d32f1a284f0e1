import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Connection } from '../../src/domain/ports/presence.js';
import type { Member, Role } from '../../src/domain/model.js';
import { BoardPresence } from '../../src/shard/presence/boardPresence.js';
import { recheckPresence } from '../../src/shard/presence/presenceRecheck.js';

const LIFETIME_MS = 1_000;
const board_id = randomUUID();

/** A connection as its instance knows it, and the role that its user has by now. */
interface Known {
  readonly restriction?: 'viewer' | 'commenter';
  readonly role: Role | null;
}

function recheck(all: readonly Known[], isBoardThere = true): readonly object[] {
  const presence = new BoardPresence(LIFETIME_MS, 0);
  const roles = new Map(all.map(({ role }, index) => [`user ${index}`, role]));
  const connections = all.map(({ restriction }, index): Connection => {
    const user_id = `user ${index}`;
    const connection = { id: index + 1, board_id, user_id, username: user_id };
    return restriction === undefined ? connection : { ...connection, restriction };
  });
  for (const connection of connections) presence.join(connection, 0);
  const store = {
    idOf: () => (isBoardThere ? board_id : null),
    memberOf: (_key: string, user: string) => {
      const role = roles.get(user) ?? null;
      return role === null ? null : ({ role } as Member);
    },
  };
  return recheckPresence(connections, presence, store, 1);
}

t.test('a role that its instance has missed is published again', async (t) => {
  t.strictSame(recheck([{ role: 'viewer' }, { role: 'member', restriction: 'viewer' }, { role: 'commenter', restriction: 'viewer' }]), [
    {
      kind: 'board.roles',
      board_id,
      roles: [
        { user_id: 'user 0', role: 'viewer' },
        { user_id: 'user 1', role: 'member' },
        { user_id: 'user 2', role: 'commenter' },
      ],
    },
  ]);
  t.strictSame(recheck([{ role: 'owner' }, { role: 'member' }, { role: 'viewer', restriction: 'viewer' }]), [], 'and none that it knows');
});

t.test('who is no longer on the board, and a board that is gone, are published again', async (t) => {
  t.strictSame(recheck([{ role: 'member' }, { role: null, restriction: 'viewer' }]), [{ kind: 'board.left', board_id, user_ids: ['user 1'] }]);
  t.strictSame(recheck([{ role: 'member' }], false), [{ kind: 'board.gone', board_id }]);
});
