/**
 * Commands that are reads or idempotent. If their outcome is unknown they may be sent again; any other command might be
 * carried out twice.
 */
import type { BoardOperation } from '../domain/commands/commands.js';
import type { DirectoryOperation } from '../domain/commands/directoryCommands.js';
import type { ShardCommand, PartitionCommand } from './messages.js';

const BOARD_OPERATIONS: ReadonlySet<BoardOperation> = new Set<BoardOperation>([
  'board.get',
  'board.summary',
  'board.export',
  'board.events',
  'member.list',
  'member.refresh',
  'member.unassign',
  'card.get',
  'label.list',
  'label.stats',
  'attachment.begin',
  'attachment.get',
  'rule.list',
]);

const DIRECTORY_OPERATIONS: ReadonlySet<DirectoryOperation> = new Set<DirectoryOperation>([
  'user.get',
  'user.findForLogin',
  'user.getWithHash',
  'user.search',
  'user.inactive',
  'user.missing',
  'user.findByEmail',
  'membership.apply',
  'membership.list',
  'board.reserve',
  'board.release',
  'profile.pending',
  'profile.isPending',
  'profile.delivered',
  'health.check',
]);

const SHARD_KINDS: ReadonlySet<ShardCommand['kind']> = new Set<ShardCommand['kind']>([
  'upload.drop',
  'content.read',
  'outbox.delivered',
  'presence.refresh',
  'presence.recheck',
  'presence.leave',
  'presence.list',
  'events.read',
]);

export function isRepeatable(command: PartitionCommand): boolean {
  if ('op' in command) return DIRECTORY_OPERATIONS.has(command.op);
  return command.kind === 'board' ? BOARD_OPERATIONS.has(command.command.op) : SHARD_KINDS.has(command.kind);
}
