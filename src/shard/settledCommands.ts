/** The commands of a shard that are carried out within one commit, and what they need. */
import { boardKeyOf, type BoardKey } from '../domain/ids.js';
import type { Ask, ShardCommand } from '../partitions/messages.js';

export type SettledCommand = Exclude<ShardCommand, { kind: 'import' }>;

/** The queue of what is about no board. */
const NO_BOARD: BoardKey = '';

/** Asks that wait at a shard are of this kind: imports never do. */
export function commandOf({ command }: Ask): SettledCommand {
  return command as SettledCommand;
}

/** What of its board must be in memory for a command; of a board that is, all of it is. */
export function neededPart(command: SettledCommand): 'all' | 'summary' | 'nothing' {
  if (command.kind === 'presence.join') return 'all';
  if (command.kind !== 'board') return 'nothing';
  return command.command.op === 'board.summary' ? 'summary' : 'all';
}

/** What is about the same board stays in order. Presence that is no question of membership has a line of its own. */
export function queueOf(command: SettledCommand): BoardKey {
  switch (command.kind) {
    case 'board':
      return boardKeyOf(command.command.target);
    case 'presence.join':
      return boardKeyOf(command.connection.board_id);
    case 'events.read':
      return boardKeyOf(command.board_id);
    case 'upload.start':
    case 'upload.append':
    case 'upload.drop':
    case 'content.read':
      return boardKeyOf(command.id);
    default:
      return NO_BOARD;
  }
}
