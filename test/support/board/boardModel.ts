/**
 * The expected state of a board: the rules of the contract on plain lists, without ranks, drafts or caches. It shares
 * nothing with the code under test except the access that a handler declares. Positions are list operations.
 */
import type { BoardCommand, BoardCommands } from '../../../src/domain/commands/commands.js';
import { HANDLERS } from '../../../src/domain/commands/table.js';
import type { RuleFields } from '../../../src/domain/model.js';
import type { ErrorCode } from '../../../src/domain/errors.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { ModelRefusal, WORKINGS } from './boardModelWorkings.js';

export interface ModelMember {
  id: Uuid;
  role: string;
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
  title: string;
  description: string | null;
  labels: Uuid[];
  assignees: Uuid[];
  checklists: ModelChecklist[];
  attachments: Uuid[];
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
}

export type Verdict = 'ok' | ErrorCode;

export type ModelledOperation = keyof typeof WORKINGS;

export class BoardModel {
  readonly id: Uuid;
  /** Null when it was deleted. */
  board: ModelBoard | null;

  constructor(board: ModelBoard) {
    this.id = board.id;
    this.board = board;
  }

  /** `newId` is the id of what the command creates, where it creates something. */
  perform(command: BoardCommand<ModelledOperation>, newId: Uuid): Verdict {
    try {
      this.#perform(command, newId);
      return 'ok';
    } catch (error) {
      if (error instanceof ModelRefusal) return error.code;
      throw error;
    }
  }

  #perform({ op, caller, target, input }: BoardCommand<ModelledOperation>, newId: Uuid): void {
    if (this.board === null) throw new ModelRefusal('not_found');
    const working: ErasedWorking = WORKINGS[op];
    const thing = working.find(this.board, target);
    if (thing === undefined || !isPathKnown(this.board, op, input)) throw new ModelRefusal('not_found');
    if (caller !== 'system') {
      const member = this.board.members.find(({ id }) => id === caller.user_id);
      const { access } = HANDLERS[op];
      const isSelf = access === 'self_or_owner' && 'user_id' in input && input.user_id === caller.user_id;
      if (member === undefined) throw new ModelRefusal('forbidden');
      if (access !== 'member' && member.role !== 'owner' && !isSelf) throw new ModelRefusal('forbidden');
    }
    if (op === 'board.delete') this.board = null;
    else working.run(this.board, thing, input, newId);
  }
}

/** Whether the other ids in the path of a request exist. */
function isPathKnown(board: ModelBoard, op: ModelledOperation, input: object): boolean {
  const { column_id, label_id, user_id } = input as { column_id?: Uuid; label_id?: Uuid; user_id?: Uuid };
  if (op === 'card.create') return board.columns.some(({ id }) => id === column_id);
  if (op === 'card.addLabel' || op === 'card.removeLabel') return board.labels.some(({ id }) => id === label_id);
  if (op === 'member.remove' || op === 'member.setRole') return board.members.some(({ id }) => id === user_id);
  return true;
}

interface ErasedWorking {
  find(board: ModelBoard, id: Uuid): unknown;
  run(board: ModelBoard, thing: unknown, input: BoardCommands[ModelledOperation] | object, newId: Uuid): void;
}
