/** The shard commands that are carried out within one commit, and what they need. */
import { boardKeyOf, type BoardKey } from '../../domain/ids.js';
import type { Ask, ShardCommand } from '../../partitions/messages.js';

export type SettledCommand = Exclude<ShardCommand, { kind: 'import' }>;

/** The queue of commands without a board. */
const NO_BOARD: BoardKey = '';

/** Asks in the queue are of this kind: imports are never queued. */
export function commandOf({ command }: Ask): SettledCommand {
  return command as SettledCommand;
}

/** The part of the board that must be in memory for a command. A board in memory is always complete. */
export function neededPart(command: SettledCommand): 'all' | 'summary' | 'nothing' {
  if (command.kind === 'presence.join') return 'all';
  if (command.kind === 'keyed') return 'all';
  if (command.kind !== 'board') return 'nothing';
  return command.command.op === 'board.summary' ? 'summary' : 'all';
}

/** Commands about the same board stay in order. Presence commands without a membership check have their own queue. */
export function queueOf(command: SettledCommand): BoardKey {
  switch (command.kind) {
    case 'board':
    case 'keyed':
      return boardKeyOf(command.command.target);
    case 'presence.join':
      return boardKeyOf(command.connection.board_id);
    case 'answer.find':
    case 'events.read':
    case 'events.forget':
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
