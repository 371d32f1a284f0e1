/**
 * Commands of other instances. A message is sealed, so a program of this cluster made it, but perhaps a newer one: what this
 * version does not know is refused. So a new field of a known command needs a new name of the command, or an older owner
 * would leave it out.
 */
import { DIRECTORY_EFFECTS } from '../../domain/commands/directoryCommands.js';
import { HANDLERS } from '../../domain/commands/table.js';
import { boardKeyOf, shardOf, type Uuid } from '../../domain/ids.js';
import type { PartitionCommand, PartitionName, ShardCommand } from '../../partitions/messages.js';
import { shardNumber } from '../../partitions/partitionNames.js';
import { SHARD_EFFECTS } from '../../partitions/repeatable.js';
import { quote, Refusal } from '../../wire/refusal.js';

/** `partition` of `shards` is the receiver. A board created in a wrong shard would never be found again. */
export function knownCommand(value: unknown, partition: PartitionName, shards: number): PartitionCommand {
  if (typeof value !== 'object' || value === null) throw new Refusal('malformed', 'a command that is no object');
  const command = value as PartitionCommand;
  if (partition === 'directory') {
    if ('op' in command && Object.hasOwn(DIRECTORY_EFFECTS, command.op)) return command;
    throw new Refusal('unsupported', `the operation ${quote('op' in command ? command.op : '')} is not known here`);
  }
  if (!('kind' in command) || !(command.kind === 'board' || Object.hasOwn(SHARD_EFFECTS, command.kind))) {
    throw new Refusal('unsupported', `the command ${quote('kind' in command ? command.kind : '')} is not known here`);
  }
  requireKnownOperation(command);
  const shard = shardNumber(partition);
  if (boardsOf(command).every((id) => shardOf(boardKeyOf(id), shards) === shard)) return command;
  throw new Refusal('misdirected', `${command.kind} for a board of another shard`);
}

function requireKnownOperation(command: ShardCommand): void {
  if (command.kind !== 'board' && command.kind !== 'keyed') return;
  const { op } = command.command;
  if (!Object.hasOwn(HANDLERS, op)) throw new Refusal('unsupported', `the board operation ${quote(op)} is not known here`);
}

/** The boards that the command names. An upload has none yet. */
function boardsOf(command: ShardCommand): readonly Uuid[] {
  if ('board_id' in command) return [command.board_id];
  if ('command' in command) return [command.command.target];
  if ('connection' in command) return [command.connection.board_id];
  if ('connections' in command) return command.connections.map(({ board_id }) => board_id);
  return 'plan' in command ? [command.plan.board_id] : [];
}
