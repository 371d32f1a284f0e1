/** The shape of a handler, the access that it demands, and steps that most handlers share. */
import type { Access, BoardCommands, BoardOperation, Caller, Nothing, RefusedInput } from './commands.js';
import type { About } from '../board/activity/facts.js';
import type { Draft } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { EventType } from '../events.js';
import { givenFields, isEmpty } from '../givenFields.js';
import type { ShownRecord } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import { hasRole, isRestricted, type Archived, type Attachment, type Comment, type Entities, type Kind, type TrashedKind } from '../model.js';
import { deleteArchived } from '../board/archive/archiving.js';
import { keepArchived, removeToTrash } from '../board/trash/trashing.js';
import { attachmentIn, partsOf } from '../board/archive/archiveOnDisk.js';
import { isArchived, notAuthor, notAuthorOrOwner, notFound, notMember, notService, roleNeeded } from '../refusals.js';
import type { Effect } from './steps/effect.js';

export interface Answer {
  /** The result for the caller; null if there is none. */
  readonly json: string | null;
  /**
   * As `writePosition` writes it: of a change, the board's place in its history after it; of a read, the place that the
   * body shows, if a caller may keep it.
   */
  readonly position?: string;
  /** It is the kept answer to an earlier request. */
  readonly replayed?: true;
}

/** What a handler answers. */
export interface HandlerAnswer extends Omit<Answer, 'replayed'> {
  /** The record that the body shows. A change whose body may be large names it. */
  readonly shows?: ShownRecord;
  /** The member whose removal goes on with a later command. */
  readonly leaving?: Uuid;
  /** Users who are not on the board, and whom its contents name from now on: their deletion must reach it. */
  readonly visitors?: readonly Uuid[];
  /** Of a card that came from another board: see `remindedUntil`. */
  readonly remindedUntil?: number | undefined;
  /** The board leaves the trash. */
  readonly isRestored?: true;
  /** The command was carried out earlier and its answer is forgotten: nothing was done, and what it made is shown. */
  readonly isLateRepeat?: true;
}

/** The entity that a command's target id leads to. `nothing` is for the command that creates the board. */
export interface Targets extends Entities {
  nothing: undefined;
}

export type TargetKind = keyof Targets;

/** The fields of inputs that come from the path. */
export type PathId = 'column_id' | 'label_id' | 'user_id' | 'entry_id';

/** Of a comment, and of a file: members delete those of cards, authors and owners those of comments. */
type OnlyOfComment = 'author' | 'author or owner';
type OnlyOfFile = 'member, or author of its comment or owner';
export type Only = OnlyOfComment | OnlyOfFile;

/** Called if the target exists, the caller has access and the input is valid. Refuses by throwing an `AppError`. */
interface HandlerOn<T extends TargetKind, Op extends BoardOperation> {
  readonly target: T;
  /** The role that a caller needs. The board checks it for every command, also for one from another instance. */
  readonly access: Access;
  /** Who of those with access may do it. */
  readonly only?: T extends 'comment' ? OnlyOfComment : T extends 'attachment' ? OnlyOfFile : never;
  /** Further ids that the path names, and what they must lead to: they are looked up with the target. */
  readonly path?: Readonly<Partial<Record<PathId, Kind>>>;
  run(draft: Draft, target: Targets[T], input: BoardCommands[Op]): HandlerAnswer;
  /** In place of `run` if the target is in the archive, or is part of something there. Absent: it is refused. */
  runArchived?(draft: Draft, archived: Archived, target: Uuid, input: BoardCommands[Op]): HandlerAnswer;
}

/** The read cache distinguishes asks by operation, target, caller and `known`. Any other input needs the board. */
type Cacheable<Op extends BoardOperation> = BoardCommands[Op] extends Nothing ? boolean : keyof BoardCommands[Op] extends 'known' ? boolean : false;

/**
 * `cacheable`: the answer follows from the board alone, and may be given again until the board changes. That excludes
 * what is on disk (events, the content of files), and the start of an upload, which must see a deletion at once.
 * `grows`: it can add to the board until one of the board's limits refuses it.
 */
type EffectOf<Op extends BoardOperation> =
  | { readonly effect: 'read'; readonly cacheable: Cacheable<Op> }
  | { readonly effect: 'idempotent' }
  | { readonly effect: 'write'; readonly grows: boolean };

/** What an answer or an event lists. A list grows with its board, unlike a record. */
interface Lists<K extends Kind> {
  /** Kinds of which it shows all: all of the board, or the cards of the column. See `preparation.ts`. */
  readonly kinds: readonly K[];
  /** Whether the answer may have several megabytes. */
  readonly isAnswerLarge: boolean;
}

/** Only an operation on a board or a column can list something. Null if it shows single records, or nothing. */
type ListsOf<T extends TargetKind> = T extends 'board'
  ? { readonly lists: Lists<'card' | 'label' | 'member' | 'rule'> | null }
  : T extends 'column'
    ? { readonly lists: Lists<'card'> | null }
    : { readonly lists?: null };

export type Handler<Op extends BoardOperation> = {
  [T in TargetKind]: HandlerOn<T, Op> & EffectOf<Op> & ListsOf<T>;
}[TargetKind];

export type Handlers<Op extends BoardOperation = BoardOperation> = { readonly [O in Op]: Handler<O> };

/** The handlers of the operations whose names begin with a resource. */
export type HandlersOf<Resource extends string> = Handlers<Extract<BoardOperation, `${Resource}.${string}`>>;

export function authorise(draft: Draft, caller: Caller, access: Access, input: object): void {
  const denied = denial(draft, caller, access, input);
  if (denied !== null) throw denied;
}

/** Null if the caller has access. */
export function denial(draft: Draft, caller: Caller, access: Access, input: object): AppError | null {
  if (caller === 'system' || access === 'anyone') return null;
  if (access === 'system') return notService();
  const member = draft.get('member', caller.user_id);
  if (member === undefined) return notMember();
  const needed = access === 'self_or_owner' ? 'owner' : access;
  return hasRole(member.role, needed) || isOwnMatter(caller, access, input) ? null : roleNeeded(member.role, needed);
}

/** Whether everyone may do it to themself, and the caller does. */
export function isOwnMatter(caller: Caller, access: Access, input: object): boolean {
  return caller !== 'system' && access === 'self_or_owner' && 'user_id' in input && input.user_id === caller.user_id;
}

/** Emits the current state of a record: to all clients of the board as an event, to the caller as the answer. */
export function announce<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): HandlerAnswer {
  const json = draft.render.record(kind, record);
  draft.emit(type, json, draft.caller, about(kind, record));
  return { json, shows: { kind, id: record.id } };
}

/** Kind and record agree by the types of the parameters, which TypeScript cannot derive for a union. */
export function about<K extends Kind>(kind: K, record: Entities[K]): About {
  return { kind, record } as About;
}

/** Answers with the current state of a record. */
export function show<K extends Kind>(draft: Draft, kind: K, record: Entities[K]): HandlerAnswer {
  return { json: draft.render.record(kind, record), shows: { kind, id: record.id } };
}

/** Emits an event with the last state of a record, and removes it with everything below it. */
export function announceRemoval<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): HandlerAnswer {
  draft.emit(type, draft.render.record(kind, record), draft.caller, about(kind, record));
  draft.remove(kind, record.id);
  return { json: null };
}

/** The same, and what is removed can be restored for a while. */
export function announceDeletion<K extends TrashedKind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): HandlerAnswer {
  draft.emit(type, draft.render.record(kind, record), draft.caller, about(kind, record));
  removeToTrash(draft, kind, record);
  return { json: null };
}

/** Of something in the archive. */
export function announceArchivedDeletion(draft: Draft, type: EventType, archived: Archived): HandlerAnswer {
  draft.emit(type, draft.render.archived(archived), draft.caller, about('archived', archived));
  keepArchived(draft, deleteArchived(draft, archived));
  return { json: null };
}

/** A partial update. An absent field stays unchanged; without any field nothing changes and no event is emitted. */
export function update<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K], input: Partial<Entities[K]>): HandlerAnswer {
  const changes = givenFields(input);
  if (isEmpty(changes)) return show(draft, kind, record);
  return announce(draft, type, kind, draft.revise(kind, record, changes));
}

/** The operation selects the handler at run time, so the types of both are erased here. */
export interface ErasedHandler {
  readonly target: TargetKind;
  readonly access: Access;
  readonly effect: Effect;
  readonly only?: Only;
  readonly path?: Readonly<Partial<Record<PathId, Kind>>>;
  run(draft: Draft, target: Targets[TargetKind], input: object): HandlerAnswer;
  runArchived?(draft: Draft, archived: Archived, target: Uuid, input: object): HandlerAnswer;
}

/** What is left to do for a command whose target is there and whose caller has access. */
export function admit(draft: Draft, caller: Caller, handler: ErasedHandler, id: Uuid, input: object): (input: object) => HandlerAnswer {
  const found = findTarget(draft, handler.target, id);
  const isInArchive = handler.path !== undefined && requireOnBoard(draft, handler.path, isRefused(input) ? input.path : input);
  authorise(draft, caller, handler.access, input);
  if (handler.only !== undefined) requireOnly(draft, caller, handler.only, id, found);
  const { archived } = found;
  if (archived === undefined && !isInArchive) return (valid) => handler.run(draft, found.target, valid);
  return (valid) => {
    if (archived === undefined) throw isArchived('column');
    if (handler.runArchived === undefined) throw isArchived(archived.with_column ? 'column' : archived.archived_kind);
    return handler.runArchived(draft, archived, id, valid);
  };
}

/** Kind of target and `only` agree by the type of the handler. */
function requireOnly(draft: Draft, caller: Caller, only: Only, id: Uuid, { target, archived }: Found): void {
  if (caller === 'system') return;
  if (only !== 'member, or author of its comment or owner') return requireAuthor(draft, caller.user_id, only, target as Comment);
  const file = archived === undefined ? (target as Attachment) : attachmentIn(archived, id);
  // Of comments on cards in the archive as well.
  const comment = file?.comment_id == null ? undefined : (draft.get('comment', file.comment_id) ?? draft.comments.find(file.comment_id));
  if (comment !== undefined) return requireAuthor(draft, caller.user_id, 'author or owner', comment);
  const role = draft.get('member', caller.user_id)?.role ?? 'viewer';
  if (isRestricted(role)) throw roleNeeded(role, 'member');
}

function requireAuthor(draft: Draft, user: Uuid, only: OnlyOfComment, { created_by }: Comment): void {
  if (user === created_by) return;
  if (only === 'author') throw notAuthor();
  if (draft.get('member', user)?.role !== 'owner') throw notAuthorOrOwner();
}

/** Throws the error of an input that was refused before. */
export function validInput(input: object): object {
  if (isRefused(input)) throw AppError.from(input.refused);
  return input;
}

interface Found {
  readonly target: Targets[TargetKind];
  /** The card or column in the archive that it is or belongs to. */
  readonly archived?: Archived;
}

function findTarget(draft: Draft, kind: TargetKind, id: Uuid): Found {
  if (kind === 'nothing') {
    if (draft.get('board', draft.id) !== undefined) throw new AppError('conflict', 'The board already exists');
    return { target: undefined };
  }
  const target = draft.get(kind, id);
  if (target !== undefined) return { target };
  const found = IN_ARCHIVE.has(kind) ? findArchived(draft, kind, id) : null;
  if (found === null) throw notFound(kind);
  return found;
}

/** What can be in the archive, or on a card there. */
const IN_ARCHIVE: ReadonlySet<TargetKind> = new Set(['card', 'column', 'checklist', 'item', 'attachment', 'comment']);

/** Whether the operation is refused for what is in the archive. */
export function isRefusedInArchive({ target, path, runArchived }: Pick<ErasedHandler, 'target' | 'path' | 'runArchived'>): boolean {
  return runArchived === undefined && (IN_ARCHIVE.has(target) || path?.column_id === 'column');
}

function findArchived(draft: Draft, kind: TargetKind, id: Uuid): Found | null {
  const comment = kind === 'comment' ? draft.comments.find(id) : undefined;
  const archived = draft.archivedWith(comment?.card_id ?? id);
  if (archived === undefined || (kind === 'comment' && comment === undefined)) return null;
  const isOfKind = comment !== undefined || partsOf(archived).some((part) => part.id === id && part.kind === kind);
  return isOfKind ? { target: comment, archived } : null;
}

/** Returns whether a column of the path is in the archive. */
function requireOnBoard(draft: Draft, path: Readonly<Partial<Record<string, Kind>>>, ids: object): boolean {
  let isInArchive = false;
  for (const [name, id] of Object.entries(ids)) {
    const kind = path[name];
    if (kind === undefined || draft.get(kind, String(id)) !== undefined) continue;
    if (kind !== 'column' || draft.get('archived', String(id))?.archived_kind !== 'column') throw notFound(kind);
    isInArchive = true;
  }
  return isInArchive;
}

function isRefused(input: object): input is RefusedInput {
  return 'refused' in input;
}
