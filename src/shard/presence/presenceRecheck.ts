import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import type { Connection } from '../../domain/ports/presence.js';
import type { BoardPresence } from './boardPresence.js';
import type { Notice } from '../../partitions/messages.js';
import type { ShardStore } from '../shardStore.js';

/**
 * Messages to the instance of these connections may have been lost. Refreshes those whose users are still members; for
 * the others, publishes again that they left or that the board is gone.
 */
export function recheckPresence(
  connections: readonly Connection[],
  presence: BoardPresence,
  store: Pick<ShardStore, 'idOf' | 'hasMember'>,
  now: number,
): Notice[] {
  return [...groupByBoard(connections)].flatMap(([board_id, own]): Notice[] => {
    const key = boardKeyOf(board_id);
    if (store.idOf(key) === null) return [{ kind: 'board.gone', board_id }];
    const strangers = own.filter(({ user_id }) => !store.hasMember(key, user_id));
    const notices = own.filter((each) => !strangers.includes(each)).flatMap((each) => presence.refresh(each, now));
    if (strangers.length === 0) return notices;
    return [...notices, { kind: 'board.left', board_id, user_ids: strangers.map(({ user_id }) => user_id) }];
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
