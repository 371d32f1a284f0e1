/** One board in memory. It changes only by `apply`, with the same list of changes that goes to disk. */
import { BoardSize } from './boardSize.js';
import { forgetCards } from './cardCache.js';
import { NO_ACTIVITY, type ActivityOnDisk } from './activity/activityOnDisk.js';
import { NO_ARCHIVE, type ArchiveOnDisk } from './archive/archiveOnDisk.js';
import { NO_TRASH, type TrashOnDisk } from './trash/trashOnDisk.js';
import { NO_VERSIONS, type VersionsOnDisk } from './versions/versionsOnDisk.js';
import { NO_MOVES, type MovesOnDisk } from './moves/movesOnDisk.js';
import { NO_WATCHES, type WatchesOnDisk } from './watching/watchesOnDisk.js';
import { NO_COMMENTS, type CommentsOnDisk } from './comments/commentsOnDisk.js';
import type { Uuid } from '../ids.js';
import { HELD_KINDS, isHeldKind, type Card, type Change, type Entities, type HeldKind, type Kind, type TrashTotals } from '../model.js';
import { Order, type Entry } from './order/order.js';
import { FIRST_EPOCH, type Position } from '../position.js';
import type { PreparedTexts } from './preparedTexts.js';
import { finishRemoval, type Removal } from './removals.js';
import { Renderer, type RenderCaches } from './render.js';
import { toEnd } from '../slices.js';
import { CHILD_KINDS, placeOf, relink, type Orders } from './structure.js';
import { emptyTables, type Tables } from './tables.js';
import type { BoardView } from './view.js';

/** A board from the store, without its comments, its archive and its trash; the records of a kind are in any order. */
export interface LoadedBoard extends Position {
  readonly entities: { readonly [K in HeldKind]: readonly Entities[K][] };
  /** When its content last changed, see `activityIn`. Null if it never did. */
  readonly activeAt?: string | null;
  /** The highest number that a removed card had. */
  readonly lastNumber?: number;
  /** Removals whose remaining records are still among the entities. */
  readonly unfinished?: readonly Removal[];
}

/** Bytes of a record besides its text: the object, its entries in map and order, the frame of its JSON. */
const RECORD_BYTES = 700;
/** By `bytesOf`: 2,000 short records, or half a million characters. They load in about two milliseconds. */
const SLICE_BYTES = 1_500_000;
/** More are put in order after a pause. */
const MANY_RECORDS = 2_000;
/**
 * A text is in the record, in the JSON of the record and in the JSON of its card. A long one is only in the record, but
 * boards of long texts that are loaded and rendered leave about twice as much to be collected.
 */
const COPIES_OF_TEXT = 3;

/** What of a board stays on disk, however much of it there is, and is read from there when it is asked for. */
export interface BoardOnDisk {
  readonly comments: CommentsOnDisk;
  readonly archive: ArchiveOnDisk;
  readonly activity: ActivityOnDisk;
  readonly trash: TrashOnDisk;
  readonly versions: VersionsOnDisk;
  readonly watches: WatchesOnDisk;
  readonly moves: MovesOnDisk;
}

const NOTHING_ON_DISK: BoardOnDisk = {
  comments: NO_COMMENTS,
  archive: NO_ARCHIVE,
  activity: NO_ACTIVITY,
  trash: NO_TRASH,
  versions: NO_VERSIONS,
  watches: NO_WATCHES,
  moves: NO_MOVES,
};

export class BoardState implements BoardView, Orders {
  readonly id: Uuid;
  readonly caches: RenderCaches = { openings: new WeakMap(), cards: new Map() };
  readonly render = new Renderer(this, this.caches);
  readonly prepared: PreparedTexts = { columns: new Map(), marked: new Map(), document: null };
  /** Updated with every change. */
  readonly size = new BoardSize();
  /** Removals that must be finished before the board's next command. */
  readonly unfinished: Removal[] = [];
  #seq: number;
  #activeAt: string | null = null;
  #bytes = 0;
  #lastNumber = 0;
  #unnumbered = 0;
  /** Undefined until they are asked for, and after a change. */
  #trashTotals: TrashTotals | undefined;
  readonly #tables: Tables<never, HeldKind> = emptyTables();
  readonly #orders = new Map<Kind, Map<Uuid, Order>>(HELD_KINDS.map((kind) => [kind, new Map()]));

  /** Of the history to which `seq` belongs. */
  readonly epoch: string;
  readonly comments: CommentsOnDisk;
  readonly archive: ArchiveOnDisk;
  readonly activity: ActivityOnDisk;
  readonly trash: TrashOnDisk;
  readonly versions: VersionsOnDisk;
  readonly watches: WatchesOnDisk;
  readonly moves: MovesOnDisk;
  /** Undefined until someone asks, like the next field. */
  #isWatched: boolean | undefined;
  #leaving: ReadonlySet<Uuid> | undefined;

  private constructor(id: Uuid, { epoch, seq }: Position, { comments, archive, activity, trash, versions, watches, moves }: BoardOnDisk) {
    this.id = id;
    this.comments = comments;
    this.archive = archive;
    this.activity = activity;
    this.trash = trash;
    this.versions = versions;
    this.watches = watches;
    this.moves = moves;
    this.epoch = epoch;
    this.#seq = seq;
  }

  /** The empty state from which `board.create` starts. */
  static empty(id: Uuid, onDisk: BoardOnDisk = NOTHING_ON_DISK): BoardState {
    return new BoardState(id, { epoch: FIRST_EPOCH, seq: 0 }, onDisk);
  }

  static load(loaded: LoadedBoard, onDisk: BoardOnDisk = NOTHING_ON_DISK): BoardState {
    const state = toEnd(BoardState.loadInSlices(loaded, onDisk));
    state.finishInMemory();
    return state;
  }

  /** What was left `unfinished` is gone from memory; from disk it goes later. */
  finishInMemory(): void {
    for (const removal of this.unfinished.splice(0)) {
      for (const changes of finishRemoval(this, removal)) this.apply(changes, this.seq);
    }
  }

  /** The same in slices, with removals left `unfinished`. */
  static *loadInSlices(
    { epoch, seq, activeAt = null, lastNumber = 0, entities, unfinished = [] }: LoadedBoard,
    onDisk: BoardOnDisk = NOTHING_ON_DISK,
  ): Generator<undefined, BoardState> {
    const [board] = entities.board;
    if (board === undefined) throw new Error('a loaded board must contain its own record');
    const state = new BoardState(board.id, { epoch, seq }, onDisk);
    state.#activeAt = activeAt;
    state.#lastNumber = lastNumber;
    for (const kind of HELD_KINDS) yield* state.#fill(kind, entities[kind]);
    state.unfinished.push(...unfinished);
    return state;
  }

  /** The number of the board's latest event. */
  get seq(): number {
    return this.#seq;
  }

  /** When the content of the board last changed; null if it never did. */
  get activeAt(): string | null {
    return this.#activeAt;
  }

  /** The highest number that a card has or had: none is given twice. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** How many cards have no number. */
  get unnumbered(): number {
    return this.#unnumbered;
  }

  /** What is in the trash, or was before some of it expired. */
  get trashTotals(): TrashTotals {
    return (this.#trashTotals ??= this.trash.totals());
  }

  /** Whether someone has chosen to watch, or not to, something on the board. */
  get isWatched(): boolean {
    return (this.#isWatched ??= this.watches.any());
  }

  /** Cards on their way to other boards. */
  get leaving(): ReadonlySet<Uuid> {
    return (this.#leaving ??= new Set(this.moves.leaving()));
  }

  /** The approximate memory of the board, including rendered JSON. */
  get bytes(): number {
    return this.#bytes + this.size.referenceBytes;
  }

  get<K extends Kind>(kind: K, id: Uuid): Entities[K] | undefined;
  get(kind: Kind, id: Uuid): Entities[Kind] | undefined {
    const held = (this.#tables as Partial<Tables<never>>)[kind];
    if (held !== undefined) return held.get(id);
    if (kind === 'trashed') return this.trash.find(id);
    if (kind === 'version') return this.versions.find(id);
    if (kind === 'watch') return this.watches.find(id);
    if (kind === 'moved') return this.moves.find(id);
    return kind === 'comment' ? this.#commentOf(id) : this.archive.find(id);
  }

  /** The comments of a removed card are still on disk for a while. */
  #commentOf(id: Uuid): Entities['comment'] | undefined {
    const comment = this.comments.find(id);
    return comment !== undefined && this.#tables.card.has(comment.card_id) ? comment : undefined;
  }

  children(kind: Kind, parent: Uuid): Order {
    return this.#orders.get(kind)?.get(parent) ?? Order.empty;
  }

  /** All records; records of a kind are in any order. */
  entities(): LoadedBoard['entities'] {
    const { board, member, column, card, label, checklist, item, attachment, rule } = this.#tables;
    return {
      board: [...board.values()],
      member: [...member.values()],
      column: [...column.values()],
      card: [...card.values()],
      label: [...label.values()],
      checklist: [...checklist.values()],
      item: [...item.values()],
      attachment: [...attachment.values()],
      rule: [...rule.values()],
    };
  }

  /** Removes and returns the children of a removed record. */
  takeChildren(kind: Kind, parent: Uuid): Order {
    const children = this.children(kind, parent);
    this.setChildren(kind, parent, Order.empty);
    return children;
  }

  /** For `relink` only. */
  setChildren(kind: Kind, parent: Uuid, order: Order): void {
    if (order.size === 0) this.#orders.get(kind)?.delete(parent);
    else this.#orders.get(kind)?.set(parent, order);
  }

  /** A removed board keeps only the absence of its record: it is dropped next. `activeAt` is null if nothing on it was done. */
  apply(changes: readonly Change[], seq: number, activeAt: string | null = null): void {
    for (const change of changes) {
      if (change.kind === 'trashed') this.#trashTotals = undefined;
      if (change.kind === 'watch') this.#isWatched = undefined;
      if (change.kind === 'moved') this.#leaving = undefined;
      if (!isHeldChange(change)) continue;
      if ('put' in change) this.#replace(change.kind, change.put.id, change.put);
      else this.#remove(change);
    }
    this.#seq = seq;
    this.#activeAt = activeAt ?? this.#activeAt;
  }

  /** The records below a removed record are removed by the same list of changes, or later if `unfinished`. */
  #remove({ kind, remove: id, unfinished }: Extract<Change, { kind: HeldKind; remove: Uuid }>): void {
    this.#replace(kind, id, undefined);
    if (unfinished === true) this.unfinished.push({ kind, id });
    else for (const childKind of CHILD_KINDS[kind]) this.setChildren(childKind, id, Order.empty);
  }

  #replace<K extends HeldKind>(kind: K, id: Uuid, after: Entities[K] | undefined): void {
    const table = this.#tables[kind];
    const before = table.get(id);
    if (after === undefined) table.delete(id);
    else table.set(id, after);
    this.#bytes += bytesOf(after) - bytesOf(before);
    this.size.replace(kind, before, after);
    if (kind === 'card') this.#count(before as Card | undefined, after as Card | undefined);
    relink(this, this.id, kind, before, after);
    forgetCards(this.caches.cards, this, kind, before, after);
  }

  #count(before: Card | undefined, after: Card | undefined): void {
    if (before?.number === null) this.#unnumbered -= 1;
    if (after?.number === null) this.#unnumbered += 1;
    else if (after !== undefined && after.number > this.#lastNumber) this.#lastNumber = after.number;
  }

  *#fill<K extends HeldKind>(kind: K, records: readonly Entities[K][]): Generator<undefined, void> {
    const siblings = new Map<Uuid, Entry[]>();
    let bytesLeft = SLICE_BYTES;
    for (const record of records) {
      if (bytesLeft <= 0) {
        yield undefined;
        bytesLeft = SLICE_BYTES;
      }
      const bytes = bytesOf(record);
      bytesLeft -= bytes;
      this.#tables[kind].set(record.id, record);
      this.#bytes += bytes;
      this.size.replace(kind, undefined, record);
      if (kind === 'card') this.#count(undefined, record as Card);
      const place = placeOf(kind, record, this.id);
      if (place === null) continue;
      const entry = { id: record.id, rank: place.rank };
      const others = siblings.get(place.parent);
      if (others === undefined) siblings.set(place.parent, [entry]);
      else others.push(entry);
    }
    if (records.length >= MANY_RECORDS) yield undefined;
    for (const [parent, entries] of siblings) this.setChildren(kind, parent, Order.from(entries));
  }
}

function isHeldChange(change: Change): change is Extract<Change, { kind: HeldKind }> {
  return isHeldKind(change.kind);
}

function bytesOf(record: object | undefined): number {
  return record === undefined ? 0 : RECORD_BYTES + COPIES_OF_TEXT * textLength(record);
}

function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const name in value) length += textLength(value[name as keyof typeof value]);
  return length;
}
