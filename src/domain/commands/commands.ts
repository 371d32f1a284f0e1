/**
 * All board commands, as plain data. Inputs arrive validated and normalised (trimmed, bounded, lower-case ids); the
 * handlers validate what needs the board (existence, membership, references).
 */
import type { ErrorData } from '../errors.js';
import type { Idempotency } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import type { ImportedBoard } from '../document/importedBoard.js';
import type { Editable, Role, RuleFields } from '../model.js';
import type { Position } from '../position.js';
import type { PublicUser } from '../account/user.js';

/** Operation → input. `undefined`-able fields are absent when they stay as they are. */
export interface BoardCommands {
  /** The id carries the new board's key; the creator becomes its owner. */
  'board.create': Editable<'board'> & { creator: PublicUser };
  /** A new board with all its contents. */
  'board.import': ImportedBoard;
  /** The board as a document, without the content of its files. */
  'board.export': Nothing;
  /** The JSON is omitted if one of the `known` positions is still the latest. */
  'board.get': { known?: readonly string[] };
  /** The board without columns and with the caller's role, for the list of boards. */
  'board.summary': Nothing;
  /** The events after `since`. They are on disk: the shard adds them to the board's answer. */
  'board.events': { since: Position };
  'board.update': Partial<Editable<'board'>>;
  'board.delete': Nothing;
  /** Several changes of the board in one commit: all of them, or none. */
  'board.batch': { operations: readonly BatchStep[] };

  'member.list': Nothing;
  /** May this user invite to this board? Asked before the directory is. */
  'member.begin': Nothing;
  /** `user` is null when the directory does not know the invited id. */
  'member.add': { user_id: Uuid; user: PublicUser | null };
  /** Refused with `limit` while the member has more assignments than one commit can remove. */
  'member.remove': { user_id: Uuid };
  /**
   * Removes some of these assignments before the removal, and keeps new ones from being added until then. Answers `true`
   * while there are too many.
   */
  'member.unassign': { user_id: Uuid };
  'member.setRole': { user_id: Uuid; role: Role };
  /** From the directory's outbox: a member's profile changed. Sent by the system. */
  'member.refresh': { user: PublicUser };
  /**
   * From the directory's outbox: the user was deleted. Sent by the system, until it answers another state than `more`. A
   * board whose last owner it was goes to the heir; without one it keeps the user, without name and address.
   */
  'member.erase': { user_id: Uuid; heir: PublicUser | null };

  'column.create': Editable<'column'> & { position: number | null };
  'column.update': Partial<Editable<'column'>>;
  'column.delete': Nothing;
  'column.move': { position: number };

  'card.create': Editable<'card'> & { column_id: Uuid; position: number | null };
  'card.get': Nothing;
  'card.update': Partial<Editable<'card'>>;
  'card.delete': Nothing;
  'card.move': { column_id: Uuid | null; position: number | null };
  'card.assign': { user_ids: readonly Uuid[] };
  'card.unassign': { user_id: Uuid };
  'card.addLabel': { label_id: Uuid };
  'card.removeLabel': { label_id: Uuid };

  'label.list': Nothing;
  'label.stats': Nothing;
  'label.create': Editable<'label'>;
  'label.update': Partial<Editable<'label'>>;
  'label.delete': Nothing;

  'checklist.create': Editable<'checklist'>;
  'checklist.update': Partial<Editable<'checklist'>>;
  'checklist.delete': Nothing;
  'checklist.move': { position: number };

  /** A new item is not done. */
  'item.create': Omit<Editable<'item'>, 'is_done'>;
  'item.update': Partial<Editable<'item'>>;
  'item.delete': Nothing;
  'item.move': { checklist_id: Uuid | null; position: number };
  'item.assign': { user_ids: readonly Uuid[] };
  'item.unassign': { user_id: Uuid };

  /** Checks whether the user may upload to this card, before the first byte is read. Answers the id for the attachment. */
  'attachment.begin': Nothing;
  /** The content is already staged under `id`; this makes it part of the board. */
  'attachment.create': { id: Uuid; name: string; mime_type: string; size: number; digest?: string | null | undefined };
  'attachment.get': Nothing;
  'attachment.delete': Nothing;

  'rule.list': Nothing;
  'rule.create': RuleFields;
  'rule.update': Partial<RuleFields>;
  'rule.delete': Nothing;
}

export type Nothing = Record<string, never>;

export type BoardOperation = keyof BoardCommands;

/** Who asks: a user, or the service itself, which needs no role. The handler says which role a user needs. */
export type Caller = { readonly user_id: Uuid } | 'system';

/**
 * `owner` and `member` are board roles; `self_or_owner` is for removing a member, which everyone may do to themself;
 * `anyone` needs no membership (creating a board); `system` is for the service alone.
 */
export type Access = Role | 'self_or_owner' | 'anyone' | 'system';

/** The error of an input, and the ids of the path, which were valid. */
export interface RefusedInput {
  readonly refused: ErrorData;
  readonly path: Readonly<Record<string, Uuid>>;
}

/** What a batch can hold: changes of a board's contents, each of which is decided at once. */
export const BATCHABLE = [
  'column.create',
  'column.update',
  'column.delete',
  'column.move',
  'card.create',
  'card.update',
  'card.delete',
  'card.move',
  'card.assign',
  'card.unassign',
  'card.addLabel',
  'card.removeLabel',
  'label.create',
  'label.update',
  'label.delete',
  'checklist.create',
  'checklist.update',
  'checklist.delete',
  'checklist.move',
  'item.create',
  'item.update',
  'item.delete',
  'item.move',
  'item.assign',
  'item.unassign',
  'rule.create',
  'rule.update',
  'rule.delete',
] as const satisfies readonly BoardOperation[];

export type BatchOperation = (typeof BATCHABLE)[number];

/** One change of a batch. */
export type BatchStep = { [Op in BatchOperation]: StepOf<Op> }[BatchOperation];

interface StepOf<Op extends BatchOperation> {
  readonly op: Op;
  readonly target: Uuid;
  readonly input: BoardCommands[Op] | RefusedInput;
  /** What the answer says of it. */
  readonly status: number;
  /** The id of what it creates, so that later steps can name it; null if it creates nothing. */
  readonly id: Uuid | null;
}

/** A command as it is sent. `target` is the id in the path: a board, or something on one. */
export interface BoardCommand<Op extends BoardOperation = BoardOperation> {
  readonly op: Op;
  readonly caller: Caller;
  readonly target: Uuid;
  /**
   * The input, or its error. An invalid input is reported only after missing resources and missing access, and only the
   * board can decide those.
   */
  readonly input: BoardCommands[Op] | RefusedInput;
  /** If the request has a key. With a read it asks for the kept answer of the change that the read prepares. */
  readonly idempotency?: Idempotency;
}
