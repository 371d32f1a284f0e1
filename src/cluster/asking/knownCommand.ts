/**
 * Commands of other instances. A message is sealed, so a program of this cluster made it, but perhaps a newer one: what this
 * version does not know is refused. So a new field of a known command needs a new name of the command, or an older owner
 * would leave it out.
 */
import type { BatchStep, BoardCommand } from '../../domain/commands/commands.js';
import type { BoardPlan } from '../../domain/document/boardPlan.js';
import { DIRECTORY_EFFECTS } from '../../domain/directory/decide.js';
import { HANDLERS } from '../../domain/commands/table.js';
import { boardKeyOf, parseUuid, shardOf } from '../../domain/ids.js';
import type { PartitionCommand, PartitionName, ShardCommand } from '../../partitions/messages.js';
import { shardNumber } from '../../partitions/partitionNames.js';
import { SHARD_EFFECTS } from '../../partitions/repeatable.js';
import { quote, Refusal } from '../../wire/refusal.js';

/** `partition` of `shards` is the receiver. A board created in a wrong shard would never be found again. */
export function knownCommand(value: unknown, partition: PartitionName, shards: number): PartitionCommand {
  const command = requireObject(value) as PartitionCommand;
  if (partition === 'directory') {
    if ('op' in command && Object.hasOwn(DIRECTORY_EFFECTS, command.op)) {
      requireObject(command.input);
      return command;
    }
    throw new Refusal('unsupported', `the operation ${quote('op' in command ? command.op : '')} is not known here`);
  }
  if (!('kind' in command) || !(command.kind === 'board' || Object.hasOwn(SHARD_EFFECTS, command.kind))) {
    throw new Refusal('unsupported', `the command ${quote('kind' in command ? command.kind : '')} is not known here`);
  }
  requireKnownOperation(command);
  const shard = shardNumber(partition);
  for (const id of idsOf(command)) {
    if (typeof id !== 'string' || parseUuid(id) !== id) throw new Refusal('malformed', `${command.kind} without the id of a board`);
    if (shardOf(boardKeyOf(id), shards) !== shard) throw new Refusal('misdirected', `${command.kind} for a board of another shard`);
  }
  return command;
}

function requireObject(value: unknown): object {
  if (typeof value !== 'object' || value === null) throw new Refusal('malformed', 'a command without an object');
  return value;
}

function requireKnownOperation(command: ShardCommand): void {
  if (command.kind !== 'board' && command.kind !== 'keyed') return;
  const { op, input, caller } = requireObject(command.command) as BoardCommand;
  requireObject(input);
  if (caller !== 'system') requireObject(caller);
  if (!Object.hasOwn(HANDLERS, op)) throw new Refusal('unsupported', `the board operation ${quote(op)} is not known here`);
  if (op === 'board.batch' && !('refused' in input)) requireSteps(input);
}

/** The queue of a thread weighs the operations of a batch before any of them is looked at. */
function requireSteps(input: object): void {
  const steps: unknown = 'operations' in input ? input.operations : null;
  if (!Array.isArray(steps)) throw new Refusal('malformed', 'a batch without a list of operations');
  for (const step of steps) requireObject((requireObject(step) as BatchStep).input);
}

/** The boards that the command names. By these ids a shard finds the queue of the command, before it looks at anything else. */
function idsOf(command: ShardCommand): readonly unknown[] {
  switch (command.kind) {
    case 'board':
    case 'keyed':
      return [command.command.target];
    case 'import': {
      const { board_id, slices, last } = requireObject(command.plan) as BoardPlan;
      if (![...slices, last].every((each) => each instanceof Uint8Array)) throw new Refusal('malformed', 'an import without content');
      return [board_id];
    }
    case 'presence.join':
    case 'presence.state':
    case 'presence.leave':
      return [command.connection.board_id];
    case 'presence.refresh':
    case 'presence.recheck':
      return command.connections.map(({ board_id }) => board_id);
    case 'upload.start':
    case 'upload.append':
    case 'upload.drop':
    case 'content.read':
      if (typeof command.id !== 'string') throw new Refusal('malformed', `${command.kind} without an id`);
      return [];
    case 'webhook':
      requireObject(command.action);
      return [command.target];
    case 'webhooks.page':
      return [command.board_id];
    case 'webhooks.progress': {
      const { progress, attempts } = command;
      if (!Array.isArray(progress) || !Array.isArray(attempts)) throw new Refusal('malformed', 'progress without a list');
      return [...progress, ...attempts].map((each: unknown) => (requireObject(each) as { readonly board_id?: unknown }).board_id);
    }
    case 'webhooks.admin':
      requireObject(command.action);
      return [];
    case 'webhooks.setOverAll':
      if (!Array.isArray(command.webhooks)) throw new Refusal('malformed', 'webhooks without a list');
      return [];
    case 'webhooks.running':
      return command.board_id === null ? [] : [command.board_id];
    case 'outbox.push':
    case 'outbox.delivered':
    case 'webhooks.pending':
    case 'webhooks.pause':
    case 'webhooks.overAll':
    case 'webhooks.deliveries':
      return [];
    default:
      return [command.board_id];
  }
}
