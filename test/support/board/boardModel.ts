/**
 * The expected state of a board: the rules of the contract on plain lists, without ranks, drafts or caches. It shares
 * nothing with the code under test except the access that a handler declares. Positions are list operations.
 */
import type { Access, BoardCommand, BoardCommands } from '../../../src/domain/commands/commands.js';
import { HANDLERS } from '../../../src/domain/commands/table.js';
import type { Cover, Role, RuleFields } from '../../../src/domain/model.js';
import type { ErrorCode } from '../../../src/domain/errors.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { WORKINGS } from './boardModelWorkings.js';
import { ModelRefusal, type ModelVersions, type ShownConflict } from './modelTexts.js';

export interface ModelMember {
  id: Uuid;
  role: Role;
  user: PublicUser;
}

export interface ModelItem {
  id: Uuid;
  content: string;
  is_done: boolean;
  assignees: Uuid[];
}

export interface ModelChecklist {
  id: Uuid;
  title: string;
  items: ModelItem[];
}

export interface ModelCard {
  id: Uuid;
  number: number;
  title: string;
  cover: Cover | null;
  description: string | null;
  versions: ModelVersions;
  start_at: string | null;
  due_at: string | null;
  /** `by its column` if no user gave it. */
  completed_at: string | null;
  reminder_minutes: number | null;
  labels: Uuid[];
  assignees: Uuid[];
  checklists: ModelChecklist[];
  attachments: Uuid[];
  links: Uuid[];
  /** The newest first. */
  comments: ModelComment[];
}

export interface ModelComment {
  id: Uuid;
  author: Uuid | null;
  body: string;
  versions: ModelVersions;
}

export interface ModelColumn {
  id: Uuid;
  title: string;
  is_done_column: boolean;
  cards: ModelCard[];
}

export interface ModelBoard {
  id: Uuid;
  title: string;
  description: string | null;
  members: ModelMember[];
  labels: { id: Uuid; name: string }[];
  columns: ModelColumn[];
  rules: (RuleFields & { id: Uuid })[];
  /** The highest number that a card ever had. */
  last_number: number;
  /** In any order. */
  archive: { cards: ModelArchivedCard[]; columns: ModelColumn[] };
}

export interface ModelArchivedCard {
  card: ModelCard;
  /** The column that it was in. */
  column: Uuid;
  /** Whether that completed cards then; the service does not show it. */
  wasDone?: boolean;
}

/** The access that each role has. */
const RIGHTS: Readonly<Record<Role, readonly Access[]>> = {
  owner: ['viewer', 'commenter', 'member', 'owner', 'self_or_owner'],
  member: ['viewer', 'commenter', 'member'],
  commenter: ['viewer', 'commenter'],
  viewer: ['viewer'],
};

export type Verdict = 'ok' | ErrorCode;

export type ModelledOperation = keyof typeof WORKINGS;
export type ModelledCommand = BoardCommand<ModelledOperation> | BoardCommand<'board.batch'>;

export class BoardModel {
  readonly id: Uuid;
  /** Null when it was deleted. */
  board: ModelBoard | null;
  /** What the last refusal has to show. */
  conflict: ShownConflict | null = null;

  constructor(board: ModelBoard) {
    this.id = board.id;
    this.board = board;
  }

  /** `newId` is the id of what the command creates, where it creates something. */
  perform(command: ModelledCommand, newId: Uuid): Verdict {
    this.conflict = null;
    const before = isBatch(command) ? structuredClone(this.board) : this.board;
    try {
      if (isBatch(command)) this.#performAll(command);
      else this.#perform(command, newId);
      return 'ok';
    } catch (error) {
      if (!(error instanceof ModelRefusal)) throw error;
      // All operations of a batch, or none.
      if (isBatch(command)) this.board = before;
      this.conflict = error.conflict;
      return error.code;
    }
  }

  #performAll({ caller, input }: BoardCommand<'board.batch'>): void {
    if (this.board === null) throw new ModelRefusal('not_found');
    if (!('operations' in input) || caller === 'system') throw new Error('a user sends a valid batch');
    const role = this.board.members.find(({ id }) => id === caller.user_id)?.role;
    if (role === undefined || role === 'viewer') throw new ModelRefusal('forbidden');
    for (const { id, ...step } of input.operations) this.#perform({ ...step, caller } as BoardCommand<ModelledOperation>, id ?? '');
  }

  #perform({ op, caller, target, input }: BoardCommand<ModelledOperation>, newId: Uuid): void {
    if (this.board === null) throw new ModelRefusal('not_found');
    const working: ErasedWorking = WORKINGS[op];
    const found = working.find(this.board, target);
    const archived = found === undefined ? shelved(this.board) : null;
    const thing = found ?? (archived === null ? undefined : working.find(archived, target));
    if (thing === undefined || !isPathKnown(this.board, op, input)) throw new ModelRefusal('not_found');
    if (caller !== 'system') {
      const member = this.board.members.find(({ id }) => id === caller.user_id);
      const { access } = HANDLERS[op];
      const isSelf = access === 'self_or_owner' && 'user_id' in input && input.user_id === caller.user_id;
      if (member === undefined) throw new ModelRefusal('forbidden');
      if (!RIGHTS[member.role].includes(access) && !isSelf) throw new ModelRefusal('forbidden');
      if (!isAuthor(op, thing, member)) throw new ModelRefusal('forbidden');
    }
    if (archived !== null && !OF_ARCHIVED.has(op)) throw new ModelRefusal('conflict');
    if (op === 'card.create' && !isColumnThere(this.board, input)) throw new ModelRefusal('conflict');
    if (op === 'board.delete') this.board = null;
    else working.run(this.board, thing, input, newId, caller === 'system' ? null : caller.user_id);
  }
}

/** What is done to something in the archive. */
const OF_ARCHIVED: ReadonlySet<ModelledOperation> = new Set(['card.restore', 'column.restore', 'card.delete', 'column.delete']);

/** The archive as a board, to look for something in it. */
function shelved({ archive, ...board }: ModelBoard): ModelBoard {
  const strays = { id: '', title: '', is_done_column: false, cards: archive.cards.map(({ card }) => card) };
  return { ...board, id: '', labels: [], rules: [], members: [], columns: [...archive.columns, strays], archive: { cards: [], columns: [] } };
}

function isColumnThere({ columns }: ModelBoard, input: object): boolean {
  return 'column_id' in input && columns.some(({ id }) => id === input.column_id);
}

/** Authors change their comments; owners may delete those of others. Files of cards are not those of comments. */
function isAuthor(op: ModelledOperation, thing: unknown, { id, role }: ModelMember): boolean {
  if (op === 'attachment.delete') return role === 'owner' || role === 'member';
  if (op !== 'comment.update' && op !== 'comment.delete' && op !== 'version.restoreComment') return true;
  return (thing as { thing: ModelComment }).thing.author === id || (op === 'comment.delete' && role === 'owner');
}

function isBatch(command: ModelledCommand): command is BoardCommand<'board.batch'> {
  return command.op === 'board.batch';
}

/** Whether the other ids in the path of a request exist. */
function isPathKnown(board: ModelBoard, op: ModelledOperation, input: object): boolean {
  const { column_id, label_id, user_id } = input as { column_id?: Uuid; label_id?: Uuid; user_id?: Uuid };
  if (op === 'card.create') return [...board.columns, ...board.archive.columns].some(({ id }) => id === column_id);
  if (op === 'card.addLabel' || op === 'card.removeLabel') return board.labels.some(({ id }) => id === label_id);
  if (op === 'member.remove' || op === 'member.setRole' || op === 'member.restrict') return board.members.some(({ id }) => id === user_id);
  return true;
}

interface ErasedWorking {
  find(board: ModelBoard, id: Uuid): unknown;
  run(board: ModelBoard, thing: unknown, input: BoardCommands[ModelledOperation] | object, newId: Uuid, caller: Uuid | null): void;
}
