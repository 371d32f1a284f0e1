import type { NewRole } from '../../domain/commands/decide.js';
import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import { isRestricted } from '../../domain/model.js';
import type { Connection } from '../../domain/ports/presence.js';
import type { BoardPresence } from './boardPresence.js';
import type { Notice } from '../../partitions/messages.js';
import type { ShardStore } from '../shardStore.js';

/**
 * Messages to the instance of these connections may have been lost. Refreshes those whose users are still members; for
 * the others, publishes again that they left or that the board is gone. Publishes a role again that the instance does not
 * know.
 */
export function recheckPresence(
  connections: readonly Connection[],
  presence: BoardPresence,
  store: Pick<ShardStore, 'idOf' | 'memberOf'>,
  now: number,
): Notice[] {
  return [...groupByBoard(connections)].flatMap(([board_id, own]): Notice[] => {
    const key = boardKeyOf(board_id);
    if (store.idOf(key) === null) return [{ kind: 'board.gone', board_id }];
    const outsiders: Uuid[] = [];
    const roles: NewRole[] = [];
    const notices: Notice[] = [];
    for (const connection of own) {
      const { user_id, restriction = null } = connection;
      const role = store.memberOf(key, user_id)?.role;
      if (role === undefined) {
        outsiders.push(user_id);
        continue;
      }
      notices.push(...presence.refresh(connection, now));
      if ((isRestricted(role) ? role : null) !== restriction) roles.push({ user_id, role });
    }
    if (roles.length > 0) notices.push({ kind: 'board.roles', board_id, roles });
    if (outsiders.length > 0) notices.push({ kind: 'board.left', board_id, user_ids: outsiders });
    return notices;
  });
}

function groupByBoard(connections: readonly Connection[]): Map<Uuid, Connection[]> {
  const groups = new Map<Uuid, Connection[]>();
  for (const connection of connections) {
    const group = groups.get(connection.board_id);
    if (group === undefined) groups.set(connection.board_id, [connection]);
    else group.push(connection);
  }
  return groups;
}
