/** Operations that can make a board larger and so reach one of its limits. */
import type { BoardOperation } from '../../domain/commands/commands.js';

export const LIMIT_REFUSAL = 'The board has reached one of its limits; `detail` names it';

const GROWING: ReadonlySet<string> = new Set<BoardOperation>([
  'board.import',
  'board.update',
  'member.add',
  'column.create',
  'column.update',
  'card.create',
  'card.update',
  // Through the rules that it triggers.
  'card.move',
  'card.assign',
  'card.addLabel',
  'label.create',
  'label.update',
  'checklist.create',
  'checklist.update',
  'item.create',
  'item.update',
  'item.move',
  'item.assign',
  'attachment.create',
  'rule.create',
  'rule.update',
]);

export function canGrow(operation: string): boolean {
  return GROWING.has(operation);
}
