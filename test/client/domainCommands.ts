/** The commands of the domain that the calls of a client lead to, as the API makes them. */
import type { ChangeName } from '../../src/client/index.js';
import type { BoardCommands } from '../../src/domain/commands/commands.js';
import type { Uuid } from '../../src/domain/ids.js';
import { DEFAULT_COLOR } from '../../src/domain/content/defaults.js';

export type CallPath = Readonly<Record<string, Uuid>>;
export type CallBody = Readonly<Record<string, unknown>>;

/** The parameter of the path that names the target; those of `card.create` and the like name more. */
const TARGETS: Readonly<Record<string, string>> = {
  board: 'board_id',
  column: 'column_id',
  card: 'card_id',
  label: 'label_id',
  checklist: 'checklist_id',
  comment: 'comment_id',
  item: 'item_id',
  attachment: 'attachment_id',
  'column.create': 'board_id',
  'card.create': 'board_id',
  'label.create': 'board_id',
  'checklist.create': 'card_id',
  'comment.create': 'card_id',
  'item.create': 'checklist_id',
  'attachment.create': 'card_id',
};

const DEFAULTS: Readonly<Partial<Record<ChangeName, CallBody>>> = {
  'column.create': { color: DEFAULT_COLOR, is_done_column: false, position: null },
  'card.create': { description: null, position: null },
  'card.move': { column_id: null, position: null },
  'label.create': { color: DEFAULT_COLOR },
  'item.move': { checklist_id: null },
  'attachment.create': { title: null },
};

/** A link is attached by the operation of files, and made by a command of its own. */
type CommandName = Exclude<ChangeName, 'attachment.create'> | 'attachment.link';

export interface DomainCommand {
  readonly op: CommandName;
  readonly target: Uuid;
  readonly input: BoardCommands[CommandName];
}

export function domainCommand(op: ChangeName, path: CallPath, body: CallBody): DomainCommand {
  const [kind = ''] = op.split('.');
  const targetName = TARGETS[op] ?? TARGETS[kind] ?? '';
  const { [targetName]: target = '', ...others } = path;
  const command = op === 'attachment.create' ? 'attachment.link' : op;
  return { op: command, target, input: { ...DEFAULTS[op], ...others, ...body } as BoardCommands[CommandName] };
}
