/**
 * All board commands, as plain data. Inputs arrive validated and normalised (trimmed, bounded, lower-case ids); the
 * handlers validate what needs the board (existence, membership, references).
 */
import type { ErrorData } from '../errors.js';
import type { EventType } from '../events.js';
import type { Idempotency } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import type { ImportedBoard } from '../document/importedBoard.js';
import type { CommentPlace } from '../board/comments/commentsOnDisk.js';
import type { ArchivePlace } from '../board/archive/archiveOnDisk.js';
import type { Archived, Attachment, Card, Comment, Editable, Moved, NewBoard, RestrictedRole, Role, RuleFields } from '../model.js';
import type { MovingCard } from '../board/moves/movingCard.js';
import type { Position } from '../position.js';
import type { PublicUser } from '../account/user.js';

/** Operation → input. `undefined`-able fields are absent when they stay as they are. */
export interface BoardCommands {
  /** The id carries the new board's key; the creator becomes its owner. */
  'board.create': NewBoard & { creator: PublicUser };
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
  'board.star': Nothing;
  'board.unstar': Nothing;
  'board.delete': Nothing;
  /**
   * Brings a deleted board back, for those who were its owners; of a board that is there nothing changes. `is_listed`: the directory
   * has it among the boards that the caller may restore.
   */
  'board.restore': { is_listed: boolean };
  /** Checks whether the caller may copy the board. Answers a `BoardToCopy`. */
  'board.beginCopy': Nothing;
  /** Takes back the command with this number; null for the caller's last one. */
  'board.undo': { seq: number | null };
  /** Several changes of the board in one commit: all of them, or none. */
  'board.batch': { operations: readonly BatchStep[] };

  'member.list': Nothing;
  /** May this user invite to this board? Asked before the directory is. */
  'member.begin': Nothing;
  /** `user` is null when the directory does not know the invited id. `is_accepted`: the user came by a link, so it is no news to them. */
  'member.add': { user_id: Uuid; user: PublicUser | null; is_accepted?: true };
  /** Refused with `limit` while the member has more assignments than one commit can remove. */
  'member.remove': { user_id: Uuid };
  /**
   * Removes some of these assignments before the removal, and keeps new ones from being added until then. Answers `true`
   * while there are too many.
   */
  'member.unassign': { user_id: Uuid };
  /** With the role of an owner or a member. */
  'member.setRole': { user_id: Uuid; role: Role };
  /**
   * With a role that changes nothing. These three have names of their own, because an older owner would make such a user a
   * member. Refused with `limit` like `member.remove`.
   */
  'member.restrict': { user_id: Uuid; role: RestrictedRole };
  'member.addAs': { user_id: Uuid; user: PublicUser | null; role: Role; is_accepted?: true };
  /** May this user invite to this board with this role? Refused while an older program runs, which would not heed it. */
  'member.beginRestricted': { role: RestrictedRole };
  /** From the directory's outbox: a member's profile changed. Sent by the system. */
  /** An instance that is an older program does not say the minutes. */
  'member.refresh': { user: PublicUser; reminder_minutes?: number | null };
  /**
   * From the directory's outbox: the user was deleted. Sent by the system, until it answers another state than `more`. A
   * board whose last owner it was goes to the heir; without one it keeps the user, without name and address.
   */
  'member.erase': { user_id: Uuid; heir: PublicUser | null };

  'column.create': Editable<'column'> & { position: number | null };
  'column.update': Partial<Editable<'column'>>;
  'column.delete': Nothing;
  'column.move': { position: number };
  'column.archive': Nothing;
  'column.restore': { position: number | null };
  'column.copy': { position: number | null };

  'card.create': New<Editable<'card'>> & { column_id: Uuid; position: number | null };
  'card.get': Nothing;
  'card.find': { number: number };
  /** Cards of the caller that are not completed. The board need not be in memory. */
  'card.assigned': Nothing;
  /** `base`: the version on which the description was written. */
  'card.update': Partial<Editable<'card'> & Pick<Card, 'cover'>> & { base?: number };
  'card.delete': Nothing;
  /** `board_id`: of its own board. */
  'card.move': { column_id: Uuid | null; position: number | null; board_id?: Uuid };
  /** Checks whether the card can move to another board, before anything is written. Answers `CopiedFile`s. */
  'move.beginOut': Nothing;
  /** The same on the other board. Answers whether the card is or was there under its new id. */
  'move.beginIn': Pick<Moved, 'id' | 'column_id'> & { files: readonly CopiedFile[] };
  /** From here on nothing changes the card, and a delivery takes it to the other board. Answers its `new_id`. */
  'move.out': Pick<Moved, 'new_id' | 'target_board_id' | 'column_id' | 'position'>;
  /** Answers a `MoveState`. `awaited`: the other board, whose delivery under way the answer waits for. */
  'move.state': { awaited: Uuid | null };
  /** By the delivery. Answers a `CardOnItsWay`; null if it is no longer on its way. */
  'move.read': Nothing;
  /** `files`: the content of each is staged under its new id. With a key; the answer has `dropped_people` besides the card. */
  'move.in': Pick<Moved, 'id' | 'column_id' | 'position'> & { content: MovingCard; files: readonly StagedCopy[] };
  /** Makes a refusal final. Answers `false` if the card is or was there after all. */
  'move.refuse': { move: Moved; refusal: ErrorData };
  /** Removes the card, or frees it if there is a refusal. */
  'move.end': Pick<Moved, 'new_id' | 'refusal'>;
  /** The card as `move.in` answers it. */
  'move.arrived': Nothing;
  'card.assign': { user_ids: readonly Uuid[] };
  'card.unassign': { user_id: Uuid };
  'card.addLabel': { label_id: Uuid };
  'card.removeLabel': { label_id: Uuid };
  'card.archive': Nothing;
  /** Without a column and a position it goes to its old place. */
  'card.restore': { column_id: Uuid | null; position: number | null };
  /** Checks whether the card can be copied with its files, before the first of them is. Answers `CopiedFile`s. */
  'card.beginCopy': Nothing;
  /**
   * Without a column it goes to that of the original. `files`: the content of each is staged under its new id; null: without
   * files and links.
   */
  'card.copy': { column_id: Uuid | null; position: number | null; comments: boolean; files: readonly StagedCopy[] | null };

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
  'item.create': New<Omit<Editable<'item'>, 'is_done'>>;
  'item.update': Partial<Editable<'item'>>;
  'item.delete': Nothing;
  'item.move': { checklist_id: Uuid | null; position: number };
  'item.assign': { user_ids: readonly Uuid[] };
  'item.unassign': { user_id: Uuid };

  /** Checks whether the user may upload to this card, before the first byte is read. Answers the id for the attachment. */
  'attachment.begin': Nothing;
  /** The content is already staged under `id`; this makes it part of the board. */
  'attachment.create': NewFile;
  'attachment.link': NewLink;
  'attachment.get': Nothing;
  'attachment.delete': Nothing;

  /** The same of a comment. */
  'commentFile.begin': Nothing;
  'commentFile.create': NewFile;
  'commentFile.link': NewLink;

  /** `before`: those older than this place; null for the newest. */
  'comment.list': { before: CommentPlace | null; limit: number };
  'comment.create': Pick<Comment, 'body'>;
  'comment.update': Partial<Pick<Comment, 'body'>> & { base?: number };
  'comment.delete': Nothing;

  /** `before`: versions with lower numbers; null from the current one on. Of a comment also for owners of the board. */
  'version.ofCard': { before: number | null; limit: number };
  'version.ofComment': { before: number | null; limit: number };
  'version.restoreDescription': { version: number };
  'version.restoreComment': { version: number };
  'version.deleteOfCard': { version: number };
  'version.deleteOfComment': { version: number };

  /** `before`: those archived before this place; null for the latest. `kind`: null for all. `q`: a part of the texts; absent for all. */
  'archive.list': { kind: Archived['archived_kind'] | null; q?: string; before: ArchivePlace | null; limit: number };
  /** `before`: those deleted before this place; null for the latest. */
  'trash.list': { before: CommentPlace | null; limit: number };
  /** `column_id`: for a card; null for its old column. */
  'trash.restore': { entry_id: Uuid; column_id: Uuid | null };
  'trash.delete': { entry_id: Uuid };
  'activity.list': ActivityFilter & { card_id: Uuid | null };
  'activity.ofCard': ActivityFilter;

  /** Each user's own matter. The answer says whether they watch it afterwards. */
  'watch.getBoard': Nothing;
  'watch.getColumn': Nothing;
  'watch.getCard': Nothing;
  'watch.board': Nothing;
  'watch.column': Nothing;
  'watch.card': Nothing;
  'watch.endBoard': Nothing;
  'watch.endColumn': Nothing;
  'watch.endCard': Nothing;
  /** What the caller has chosen to watch, before this place: the latest first. The board need not be in memory. */
  'watch.list': { before: CommentPlace | null; limit: number };

  'rule.list': Nothing;
  'rule.create': RuleFields;
  'rule.update': Partial<RuleFields>;
  'rule.delete': Nothing;
}

/** How large the document of a board is, in about as many bytes. */
export interface BoardToCopy {
  readonly bytes: number;
}

/** A file of a card, and the id of its copy. */
export interface StagedCopy {
  readonly from: Uuid;
  readonly to: Uuid;
}

/** A file that is to be copied. */
export interface CopiedFile {
  readonly id: Uuid;
  readonly size: number;
}

export type MoveState = Pick<Moved, 'state' | 'new_id' | 'target_board_id' | 'refusal'>;

export interface CardOnItsWay {
  readonly move: Moved;
  readonly content: MovingCard;
}

/** Which facts a page of the activity has: with numbers between `after` and `before`. */
export interface ActivityFilter {
  readonly before: number | null;
  readonly after: number | null;
  readonly user_id: Uuid | null;
  readonly kind: EventType | null;
  readonly limit: number;
}

/** Dates are absent in a command of an instance that does not know them, and mean null then. */
type New<T> = Omit<T, DateField> & Partial<Pick<T, DateField & keyof T>>;
type DateField = 'start_at' | 'due_at' | 'completed_at' | 'reminder_minutes';

export type Nothing = Record<string, never>;

export interface NewFile extends Pick<Attachment, 'id' | 'name' | 'mime_type' | 'size'> {
  readonly digest?: string | null | undefined;
}

/** A link to a web page. The address is in its normal form. */
export interface NewLink {
  readonly url: string;
  readonly title: string | null;
}

export type BoardOperation = keyof BoardCommands;

/** Who asks: a user, or the service itself, which needs no role. The handler says which role a user needs. */
export type Caller = { readonly user_id: Uuid } | 'system';

/**
 * A role stands for itself and those above it: `viewer` for everyone on the board. `self_or_owner` is for removing a member, which everyone may do to themself;
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
  'column.archive',
  'column.restore',
  'card.create',
  'card.update',
  'card.delete',
  'card.move',
  'card.assign',
  'card.unassign',
  'card.addLabel',
  'card.removeLabel',
  'card.archive',
  'card.restore',
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
  'comment.create',
  'comment.update',
  'comment.delete',
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
