/**
 * Commands that are reads, idempotent, or have a key. If their outcome is unknown they may be sent again; any other
 * command might be carried out twice.
 */
import { DIRECTORY_EFFECTS } from '../domain/directory/decide.js';
import type { Effect } from '../domain/commands/steps/effect.js';
import { isPlanSpent } from '../domain/document/boardPlan.js';
import { HANDLERS } from '../domain/commands/table.js';
import type { PartitionCommand, ShardCommand } from './messages.js';

/** What a shard does besides the operations of boards. The type makes sure that none is missing. */
export const SHARD_EFFECTS: { readonly [Kind in Exclude<ShardCommand['kind'], 'board'>]: Effect } = {
  keyed: 'keyed',
  // Also with a key: its repetition waits for rows of the first attempt to be deleted.
  import: 'write',
  'answer.find': 'read',
  // If the first attempt was carried out, the second one finds the id in use, and the sender takes another one.
  'upload.start': 'idempotent',
  'upload.append': 'idempotent',
  'upload.drop': 'idempotent',
  'content.read': 'read',
  'outbox.push': 'read',
  'outbox.delivered': 'idempotent',
  'presence.join': 'write',
  'presence.state': 'idempotent',
  'presence.refresh': 'idempotent',
  'presence.recheck': 'idempotent',
  'presence.leave': 'idempotent',
  'presence.list': 'read',
  'presence.states': 'read',
  'events.read': 'read',
  'events.forget': 'idempotent',
  'board.discard': 'idempotent',
  // A created webhook has an id of its own, and a rotation that is repeated would drop a secret that was shown.
  webhook: 'write',
  'webhooks.running': 'read',
  'webhooks.pending': 'read',
  'webhooks.page': 'idempotent',
  'webhooks.progress': 'idempotent',
  'webhooks.admin': 'write',
  'webhooks.pause': 'idempotent',
  'webhooks.overAll': 'read',
  'webhooks.setOverAll': 'idempotent',
  'webhooks.deliveries': 'read',
};

export function isRepeatable(command: PartitionCommand): boolean {
  return effectOf(command) !== 'write';
}

/** Whether the command is there no more: the memory of an imported board goes with its first attempt. */
export function isSpent(command: PartitionCommand): boolean {
  return 'kind' in command && command.kind === 'import' && isPlanSpent(command.plan);
}

function effectOf(command: PartitionCommand): Effect {
  if ('op' in command) return DIRECTORY_EFFECTS[command.op];
  return command.kind === 'board' ? HANDLERS[command.command.op].effect : SHARD_EFFECTS[command.kind];
}
