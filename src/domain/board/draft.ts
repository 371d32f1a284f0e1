/**
 * The effect of a command on a board: an overlay that reads like the board and takes every write. A refused command's
 * draft is dropped; an accepted one yields the changes and events for memory, disk and subscribers.
 */
import type { BoardState } from './board.js';
import type { BoardSize } from './boardSize.js';
import { DraftCardCache, forgetCards, type CardCache } from './cardCache.js';
import { renderEvent, type BoardEvent, type EventType } from '../events.js';
import type { KeptAnswer, KeyedCreate } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import { Growth, type BoardLimits, type Replacement } from '../limits.js';
import {
  HELD_KINDS,
  KINDS,
  type TrashTotals,
  type Archived,
  type Card,
  type Change,
  type Comment,
  type Entities,
  type Kind,
  type Role,
} from '../model.js';
import { partsOf, type ArchiveOnDisk } from './archive/archiveOnDisk.js';
import type { TrashOnDisk } from './trash/trashOnDisk.js';
import type { CommentsOnDisk } from './comments/commentsOnDisk.js';
import type { VersionsOnDisk } from './versions/versionsOnDisk.js';
import type { WatchesOnDisk } from './watching/watchesOnDisk.js';
import type { ActivityOnDisk } from './activity/activityOnDisk.js';
import { ActivityRecorder, type About, type Activity } from './activity/facts.js';
import {
  keepsActivity,
  keepsArchive,
  keepsCreates,
  keepsDates,
  keepsNumbers,
  keepsRole,
  keepsTrash,
  keepsTrashedBoards,
  keepsVersions,
  keepsWatches,
  olderRuns,
  refusalOf,
} from './laterFields.js';
import type { MovesOnDisk } from './moves/movesOnDisk.js';
import { Order } from './order/order.js';
import { NO_CARD, type NewNotification, type NotificationKind } from '../account/notification.js';
import { writePosition } from '../position.js';
import type { PreparedTexts } from './preparedTexts.js';
import { hasManyBelow } from './removals.js';
import { idInUse, idWasUsed } from '../refusals.js';
import { Renderer } from './render.js';
import { CHILD_KINDS, relink, type Orders } from './structure.js';
import type { Tables } from './tables.js';
import type { BoardView } from './view.js';

/** The time, new ids and limits of a command, passed in so that handlers stay pure. */
export interface Context {
  readonly now: string;
  readonly limits: BoardLimits;
  /** Commits must be readable for programs that know this schema. Absent: no older one runs. */
  readonly schema?: number;
  /** How long what is deleted can be restored. Absent or 0: it is gone at once. */
  readonly trashDays?: number;
  /** The board is in the trash, hidden from all. */
  readonly isTrashed?: true;
  newId(): Uuid;
  /** Whether something that was removed from the board had this id. Absent where no command has a key. */
  wasUsed?(id: Uuid): boolean;
  /** Whether a removal of this member is under way. Absent where no member is removed in several commands. */
  isLeaving?(user: Uuid): boolean;
  /** What a request with a key made that has this id. Absent where no command has a key. */
  findCreate?(id: Uuid): KeyedCreate | null;
  /** Whether those who watch the board may get more notices now. Absent: any number. */
  mayTellWatchers?(): boolean;
  /** The first answer to the user's request with this key. Absent where no command has one. */
  findAnswer?(user: Uuid, key: string): KeptAnswer | null;
}

/** Kinds that no record refers to, and that are removed only after they were read. */
const STORED_WHOLE: ReadonlySet<Kind> = new Set(['archived', 'trashed']);

/** The tables of the written kinds. Null stands for a removed record. */
type Written = { -readonly [K in Kind]?: Tables<null>[K] };

export class Draft implements BoardView, Orders {
  readonly id: Uuid;
  /** The board's number before the command. */
  readonly seq: number;
  /** The acting user; null if the service itself acts. */
  readonly caller: Uuid | null;
  readonly now: string;
  readonly render: Renderer;
  readonly #board: BoardState;
  readonly #context: Context;
  readonly #cards: CardCache;
  /** Undefined until the first write, like the next field: most commands only read. */
  #written: Written | undefined;
  /** The card with the highest number that this command has made and removed: no other may get the number. */
  #passing: Card | undefined;
  #orders: { [K in Kind]?: Map<Uuid, Order> } | undefined;
  /** Records whose removal ends in later commits. */
  #unfinished: Set<Uuid> | undefined;
  /** Of `STORED_WHOLE`: what the command did not write before it removed it. */
  #removedStored: Set<Uuid> | undefined;
  readonly #events: BoardEvent[] = [];
  /** Undefined until the first one: few commands concern a user who is not the caller. */
  #notifications: Map<string, NewNotification> | undefined;
  /** Undefined until the first event. */
  #recorder: ActivityRecorder | undefined;
  /** The caller's wish for the first new id. */
  #wishedId: Uuid | null;
  /** Cards that the draft has numbered. */
  #numbered = 0;
  /** Of a command with several steps: what the current step has written. */
  #step: Map<string, Replacement> | undefined;

  constructor(board: BoardState, caller: Uuid | null, context: Context, wishedId: Uuid | null = null) {
    this.#wishedId = wishedId;
    this.id = board.id;
    this.seq = board.seq;
    this.caller = caller;
    this.now = context.now;
    this.#board = board;
    this.#context = context;
    this.#cards = new DraftCardCache(board.caches.cards);
    const { openings } = board.caches;
    this.render = new Renderer(this, { openings, cards: this.#cards, columns: board.prepared.columns });
  }

  /** Of the board before the command. */
  get position(): string {
    return writePosition(this.#board);
  }

  /** Of the board before the command. */
  get activeAt(): string | null {
    return this.#board.activeAt;
  }

  get prepared(): PreparedTexts {
    return this.#board.prepared;
  }

  /** The size of the board before the command. */
  get size(): BoardSize {
    return this.#board.size;
  }

  get limits(): BoardLimits {
    return this.#context.limits;
  }

  /** Whether every running program keeps the dates of a card. */
  get keepsDates(): boolean {
    return this.#context.schema === undefined || keepsDates(this.#context.schema);
  }

  /** Whether every running program keeps the versions of texts. */
  get keepsVersions(): boolean {
    return keepsVersions(this.#context.schema);
  }

  /** Whether every running program keeps what users watch. */
  get keepsWatches(): boolean {
    return this.#context.schema === undefined || keepsWatches(this.#context.schema);
  }

  /** Whether those who watch something may hear of this command: every running program knows it, and it was not too much lately. */
  get tellsWatchers(): boolean {
    return this.keepsWatches && this.#context.mayTellWatchers?.() !== false;
  }

  /** Whether a card on the board has the label: without a look at all of them. */
  isOnCards(label: Uuid): boolean {
    let count = this.#board.size.references(label);
    for (const [id, card] of this.#written?.card ?? []) {
      if (this.#board.get('card', id)?.label_ids.includes(label) === true) count -= 1;
      if (card?.label_ids.includes(label) === true) count += 1;
    }
    return count > 0;
  }

  /** For a member who can be assigned from now on. Without an archive nothing is older. */
  get assignableSince(): number {
    return this.#context.schema === undefined || keepsArchive(this.#context.schema) ? this.seq : 0;
  }

  /** For a new card. Null while a program runs that would not keep it. */
  newNumber(): number | null {
    return keepsNumbers(this.#context.schema) ? this.#board.lastNumber + ++this.#numbered : null;
  }

  /** Throws while a program runs that does not heed the role. */
  requireKeptRole(role: Role): void {
    if (this.#context.schema !== undefined && !keepsRole(role, this.#context.schema)) throw olderRuns();
  }

  /**
   * Refuses a key whose id is or was used: caches and clients would take one thing for another, and a request that is repeated
   * after its answer was forgotten must make nothing twice.
   */
  newId(): Uuid {
    const wished = this.#wishedId;
    this.#wishedId = null;
    if (wished === null) return this.#context.newId();
    if (this.isTaken(wished)) throw idInUse();
    if (this.#wasUsed(wished)) throw idWasUsed();
    return wished;
  }

  /** Begins a step of a command that has several. The next new thing gets the id, if one is given. */
  beginStep(wishedId: Uuid | null): void {
    this.#wishedId = wishedId;
    this.#step = new Map();
  }

  /** The records that the current step has written, as they were before it; those of `STORED_WHOLE` without what was there. */
  get replacedInStep(): readonly Replacement[] {
    return this.#step === undefined ? [] : [...this.#step.values()];
  }

  /** Of the command, step by step. */
  growth(): Growth {
    return new Growth(this.#board, this, this.limits);
  }

  /** Whether something was removed whose rest goes in later commits. */
  get isUnfinished(): boolean {
    return this.#unfinished !== undefined;
  }

  /** Whether nothing on the board has or had this id. */
  isNew(id: Uuid): boolean {
    return !this.isTaken(id) && !this.#wasUsed(id);
  }

  /** Whether a removal of this member is under way. */
  isLeaving(user: Uuid): boolean {
    return this.#context.isLeaving?.(user) === true;
  }

  #requireKept(kind: Kind, record: Entities[Kind], schema: number): void {
    const refusal = refusalOf(kind, record, schema);
    if (refusal !== null) throw refusal;
  }

  /** Whether something on the board has the id. */
  isTaken(id: Uuid): boolean {
    return (
      HELD_KINDS.some((kind) => this.get(kind, id) !== undefined) ||
      this.get('comment', id) !== undefined ||
      this.archivedWith(id) !== undefined ||
      this.#isHeldElsewhere(id)
    );
  }

  /** Of a comment whose card is in the archive. */
  #isHeldElsewhere(id: Uuid): boolean {
    const comment = this.#board.comments.find(id);
    return comment !== undefined && this.archivedWith(comment.card_id) !== undefined;
  }

  /** The comments of a deleted card stay on disk, with it in the trash or until they are swept. */
  #wasUsed(id: Uuid): boolean {
    return this.#context.wasUsed?.(id) === true || this.#board.trash.holderOf(id) !== undefined || this.#board.comments.find(id) !== undefined;
  }

  /** Whether every running program keeps who made what with a key. */
  get keepsCreates(): boolean {
    return keepsCreates(this.#context.schema);
  }

  /** Of something that an earlier command made with a key; null also if an older program carried it out. */
  createOf(id: Uuid): KeyedCreate | null {
    return this.#context.findCreate?.(id) ?? null;
  }

  get<K extends Kind>(kind: K, id: Uuid): Entities[K] | undefined {
    const written = this.#written?.[kind]?.get(id);
    const found = written === undefined ? this.#board.get(kind, id) : (written ?? undefined);
    // The comments of a removed card go with it, and none of them is named.
    return kind === 'comment' && found !== undefined && this.get('card', (found as Comment).card_id) === undefined ? undefined : found;
  }

  /** Without those that the draft has written. */
  get comments(): CommentsOnDisk {
    return this.#board.comments;
  }

  /** Without those that the draft has written. */
  get versions(): VersionsOnDisk {
    return this.#board.versions;
  }

  /** Without those that the draft has written. */
  get watches(): WatchesOnDisk {
    return this.#board.watches;
  }

  /** Of the board before the command. */
  get isWatched(): boolean {
    return this.#board.isWatched;
  }

  /** Without those that the draft has written. */
  get moves(): MovesOnDisk {
    return this.#board.moves;
  }

  /** Cards on their way to other boards, before the command. */
  get leaving(): ReadonlySet<Uuid> {
    return this.#board.leaving;
  }

  /** Without what the draft has written. */
  get archive(): ArchiveOnDisk {
    return this.#board.archive;
  }

  /** Without what the draft has written. */
  get trash(): TrashOnDisk {
    return this.#board.trash;
  }

  /** Of the board before the command. */
  get trashTotals(): TrashTotals {
    return this.#board.trashTotals;
  }

  /** For how many days a deletion can be taken back; 0 also while a program runs that would not keep what is deleted. */
  get trashDays(): number {
    return keepsTrash(this.#context.schema) ? (this.#context.trashDays ?? 0) : 0;
  }

  /** Whether the board is in the trash, where only a few commands reach it. */
  get isTrashed(): boolean {
    return this.#context.isTrashed === true;
  }

  /** Whether the board can be restored after its deletion. */
  get keepsDeletedBoard(): boolean {
    return keepsTrashedBoards(this.#context.schema) && (this.#context.trashDays ?? 0) > 0;
  }

  /** The archived card or column with this id, or with a part that has it. */
  archivedWith(id: Uuid): Archived | undefined {
    const written = this.#written?.archived;
    for (const archived of written?.values() ?? []) if (archived !== null && partsOf(archived).some((part) => part.id === id)) return archived;
    const found = this.#board.archive.holderOf(id);
    return found === undefined || written?.has(found.id) === true ? undefined : found;
  }

  /** The cards that were archived with their column. */
  archivedCardsOf(column: Uuid): Archived[] {
    const written = this.#written?.archived;
    const stored = this.#board.archive.cardsOf(column).filter(({ id }) => written?.has(id) !== true);
    const own = [...(written?.values() ?? [])].filter((row): row is Archived => row !== null && row.with_column && row.column_id === column);
    return [...stored, ...own];
  }

  /** When the latest comment of a card was written; null if it has none. */
  latestComment(card: Uuid): string | null {
    let latest = this.#board.comments.page(card, null, 1, 0)[0]?.created_at ?? null;
    for (const comment of this.#written?.comment?.values() ?? []) {
      if (comment?.card_id === card && (latest === null || comment.created_at > latest)) latest = comment.created_at;
    }
    return latest;
  }

  children(kind: Kind, parent: Uuid): Order {
    return this.#orders?.[kind]?.get(parent) ?? this.#board.children(kind, parent);
  }

  /** For `relink` only. */
  setChildren(kind: Kind, parent: Uuid, order: Order): void {
    this.#orders ??= {};
    const orders = (this.#orders[kind] ??= new Map());
    orders.set(parent, order);
  }

  put<K extends Kind>(kind: K, record: Entities[K]): void {
    if (this.#context.schema !== undefined) this.#requireKept(kind, record, this.#context.schema);
    this.#write(kind, record.id, record);
  }

  /** Puts a record with some changed fields, with `updated_at` and the given user. */
  revise<K extends Kind>(kind: K, record: Entities[K], changes: Partial<Entities[K]>, caller: Uuid | null = this.caller): Entities[K] {
    // The clock may have been set back since.
    const updated_at = record.created_at > this.now ? record.created_at : this.now;
    const mark = 'updated_by' in record ? { updated_at, updated_by: caller } : { updated_at };
    const revised = { ...record, ...changes, ...mark };
    this.put(kind, revised);
    return revised;
  }

  /**
   * Removes a record and everything below it, now or, if that is much, in later commits. Of the board only its own
   * record is named: it stands for everything.
   */
  remove(kind: Kind, id: Uuid): void {
    if (kind !== 'board' && hasManyBelow(this, kind, id)) return this.removeUnfinished(kind, id);
    if (kind !== 'board') this.#removeBelow(kind, id);
    this.#write(kind, id, undefined);
  }

  /** The same in this commit, however much is below it. */
  removeAtOnce(kind: Kind, id: Uuid): void {
    this.#removeBelow(kind, id);
    this.#write(kind, id, undefined);
  }

  /** Removes the record only; records below it or references to it go in later commits. Nothing else may follow. */
  removeUnfinished(kind: Kind, id: Uuid): void {
    this.#unfinished ??= new Set();
    this.#unfinished.add(id);
    this.#write(kind, id, undefined);
  }

  /** Whether the draft has put or removed the record. */
  hasWritten(kind: Kind, id: Uuid): boolean {
    return this.#written?.[kind]?.has(id) === true;
  }

  /** Emits an event with the current JSON of a resource. Without `about` it is no fact of the board's activity. */
  emit(type: EventType, dataJson: string, caller: Uuid | null = this.caller, about?: About): void {
    const seq = this.seq + this.#events.length + 1;
    this.#events.push({ seq, type, json: renderEvent(type, dataJson, caller, this.now) });
    if (about !== undefined) this.recorder?.note(seq, type, about, caller);
  }

  /** Sends a notice about a card, unless the user does it themself. One for each thing that happens to the user, however often it does. */
  notify(
    kind: NotificationKind,
    user_id: Uuid,
    { id: card_id, title }: Pick<Card, 'id' | 'title'>,
    comment_id: Uuid | null = null,
    actor_id = this.caller,
  ): void {
    if (user_id === this.caller) return;
    const about = { board_id: this.id, card_id, comment_id, actor_id, title, due_at: null, is_late: false };
    this.#notifications ??= new Map();
    this.#notifications.set(keyOfNotice(kind, user_id, comment_id ?? card_id), { kind, user_id, created_at: this.now, ...about });
  }

  /** Tells a user who was put on the board. */
  notifyInvited(user_id: Uuid): void {
    const title = this.get('board', this.id)?.title;
    if (user_id !== this.caller && title !== undefined && this.keepsWatches) this.notify('invited', user_id, { id: NO_CARD, title });
  }

  /** Whether the command sends the user this notice about a card or a comment. */
  hasNotified(kind: NotificationKind, user_id: Uuid, about: Uuid): boolean {
    return this.#notifications?.has(keyOfNotice(kind, user_id, about)) === true;
  }

  get notificationCount(): number {
    return this.#notifications?.size ?? 0;
  }

  get notifications(): readonly NewNotification[] {
    return this.#notifications === undefined ? [] : [...this.#notifications.values()];
  }

  /** Undefined while an older program runs, which knows no activity. */
  get recorder(): ActivityRecorder | undefined {
    const { schema } = this.#context;
    if (schema !== undefined && !keepsActivity(schema)) return undefined;
    return (this.#recorder ??= new ActivityRecorder(this, this.#board));
  }

  /** What the command adds to the activity; null if nothing. */
  get activity(): Activity | null {
    const activity = this.#recorder?.activity(this.seq + 1) ?? null;
    return activity === null || activity.facts.length + activity.former.length === 0 ? null : activity;
  }

  /** Without what the draft adds. */
  get activityOnDisk(): ActivityOnDisk {
    return this.#board.activity;
  }

  get events(): readonly BoardEvent[] {
    return this.#events;
  }

  /** Every record that differs from the board, once, in its final state. */
  changes(): Change[] {
    const changes: Change[] = [];
    if (this.#written === undefined) return changes;
    for (const kind of KINDS) {
      const written = this.#written[kind];
      if (written === undefined) continue;
      for (const [id, record] of written) {
        // Kind and record agree by the type of `Written`, which TypeScript cannot derive for a union.
        if (record !== null) changes.push({ kind, put: record } as Change);
        else if (this.#removedStored?.has(id) === true || this.#board.get(kind, id) !== undefined) changes.push(this.#removal(kind, id));
      }
    }
    // Written and removed, so that the board knows its number and its id. It may have come back from the archive since.
    if (this.#passing !== undefined && this.get('card', this.#passing.id) === undefined)
      changes.push({ kind: 'card', put: this.#passing }, { kind: 'card', remove: this.#passing.id });
    return changes;
  }

  #removal(kind: Kind, id: Uuid): Change {
    return (this.#unfinished?.has(id) === true ? { kind, remove: id, unfinished: true } : { kind, remove: id }) as Change;
  }

  #notePassing(card: Card | undefined): void {
    const number = card?.number ?? 0;
    const isNew = number > this.#board.lastNumber && number <= this.#board.lastNumber + this.#numbered;
    if (isNew && number > (this.#passing?.number ?? 0)) this.#passing = card;
  }

  /** The order of the children is dropped as a whole: removing thousands one by one took most of the time. */
  #removeBelow(kind: Kind, id: Uuid): void {
    for (const childKind of CHILD_KINDS[kind]) {
      const children = this.children(childKind, id);
      if (children.size === 0) continue;
      this.setChildren(childKind, id, Order.empty);
      for (const child of children) {
        this.#removeBelow(childKind, child.id);
        this.#write(childKind, child.id, undefined);
      }
    }
  }

  #write<K extends Kind>(kind: K, id: Uuid, after: Entities[K] | undefined): void {
    this.#written ??= {};
    const written: Tables<null>[K] = (this.#written[kind] ??= new Map());
    if (STORED_WHOLE.has(kind)) return this.#writeStored(kind, written, id, after);
    const before = this.get(kind, id);
    if (this.#step !== undefined) noteFirst(this.#step, { kind, id, before });
    written.set(id, after ?? null);
    if (kind === 'card' && after === undefined && this.#board.get('card', id) === undefined) this.#notePassing(before as Card | undefined);
    relink(this, this.id, kind, before, after);
    forgetCards(this.#cards, this, kind, before, after);
  }

  /** Without what was there: nothing refers to it, and reading thousands of rows took a quarter of the time. */
  #writeStored<Stored>(kind: Kind, written: Map<Uuid, Stored | null>, id: Uuid, after: Stored | undefined): void {
    if (this.#step !== undefined) noteFirst(this.#step, { kind, id, before: undefined });
    if (after === undefined && !written.has(id)) (this.#removedStored ??= new Set()).add(id);
    written.set(id, after ?? null);
  }
}

function keyOfNotice(kind: NotificationKind, user: Uuid, about: Uuid): string {
  return `${kind} ${user} ${about}`;
}

function noteFirst(step: Map<string, Replacement>, replaced: Replacement): void {
  const key = `${replaced.kind} ${replaced.id}`;
  if (!step.has(key)) step.set(key, replaced);
}
