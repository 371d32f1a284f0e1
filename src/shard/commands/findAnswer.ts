import { boardKeyOf } from '../../domain/ids.js';
import type { FoundAnswer } from '../../domain/ports/boardsPort.js';
import type { ShardCommand } from '../../partitions/messages.js';
import type { ShardStore } from '../shardStore.js';

/** What a request with a key finds of the board that it would create. */
export function findAnswer(store: ShardStore, { board_id, user_id, key }: Extract<ShardCommand, { kind: 'answer.find' }>, now: string): FoundAnswer {
  const board = boardKeyOf(board_id);
  const state = store.positionOf(board) !== null ? 'exists' : store.orphans.has(board) ? 'loose' : 'none';
  return { kept: store.answers.find(user_id, key, now), board: state };
}
