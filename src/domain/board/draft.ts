/**
 * The effect of a command on a board: an overlay that reads like the board and takes every write. A refused command's
 * draft is dropped; an accepted one yields the changes and events for memory, disk and subscribers.
 */
import type { BoardState } from './board.js';
import type { BoardSize } from './boardSize.js';
import { DraftCardCache, forgetCards, type CardCache } from './cardCache.js';
import { renderEvent, type BoardEvent, type EventType } from '../events.js';
import type { KeptAnswer } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import { Growth, type BoardLimits, type Replacement } from '../limits.js';
import { KINDS, type Change, type Entities, type Kind } from '../model.js';
import { Order } from './order/order.js';
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
  newId(): Uuid;
  /** Whether something that was removed from the board had this id. Absent where no command has a key. */
  wasUsed?(id: Uuid): boolean;
  /** Whether a removal of this member is under way. Absent where no member is removed in several commands. */
  isLeaving?(user: Uuid): boolean;
  /** The first answer to the user's request with this key. Absent where no command has one. */
  findAnswer?(user: Uuid, key: string): KeptAnswer | null;
}

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
  #orders: { [K in Kind]?: Map<Uuid, Order> } | undefined;
  /** Records whose removal ends in later commits. */
  #unfinished: Set<Uuid> | undefined;
  readonly #events: BoardEvent[] = [];
  /** The caller's wish for the first new id. */
  #wishedId: Uuid | null;
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

  /**
   * Refuses a key whose id is or was used: caches and clients would take one thing for another, and a request that is repeated
   * after its answer was forgotten must make nothing twice.
   */
  newId(): Uuid {
    const wished = this.#wishedId;
    this.#wishedId = null;
    if (wished === null) return this.#context.newId();
    if (this.#isTaken(wished)) throw idInUse();
    if (this.#wasUsed(wished)) throw idWasUsed();
    return wished;
  }

  /** Begins a step of a command that has several. The next new thing gets the id, if one is given. */
  beginStep(wishedId: Uuid | null): void {
    this.#wishedId = wishedId;
    this.#step = new Map();
  }

  /** The records that the current step has written, as they were before it. */
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
    return !this.#isTaken(id) && !this.#wasUsed(id);
  }

  /** Whether a removal of this member is under way. */
  isLeaving(user: Uuid): boolean {
    return this.#context.isLeaving?.(user) === true;
  }

  #isTaken(id: Uuid): boolean {
    return KINDS.some((kind) => this.get(kind, id) !== undefined);
  }

  #wasUsed(id: Uuid): boolean {
    return this.#context.wasUsed?.(id) === true;
  }

  get<K extends Kind>(kind: K, id: Uuid): Entities[K] | undefined {
    const written = this.#written?.[kind]?.get(id);
    return written === undefined ? this.#board.get(kind, id) : (written ?? undefined);
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

  /** Removes the record only; records below it or references to it go in later commits. Nothing else may follow. */
  removeUnfinished(kind: Kind, id: Uuid): void {
    this.#unfinished ??= new Set();
    this.#unfinished.add(id);
    this.#write(kind, id, undefined);
  }

  /** Emits an event with the current JSON of a resource. */
  emit(type: EventType, dataJson: string, caller: Uuid | null = this.caller): void {
    const seq = this.seq + this.#events.length + 1;
    this.#events.push({ seq, type, json: renderEvent(type, dataJson, caller, this.now) });
  }

  get events(): readonly BoardEvent[] {
    return this.#events;
  }

  /** Every record that differs from the board, once, in its final state. */
  changes(): Change[] {
    const changes: Change[] = [];
    if (this.#written === undefined) return changes;
    for (const kind of KINDS) {
      for (const [id, record] of this.#written[kind] ?? []) {
        // Kind and record agree by the type of `Written`, which TypeScript cannot derive for a union.
        if (record !== null) changes.push({ kind, put: record } as Change);
        else if (this.#board.get(kind, id) !== undefined) changes.push(this.#removal(kind, id));
      }
    }
    return changes;
  }

  #removal(kind: Kind, id: Uuid): Change {
    return (this.#unfinished?.has(id) === true ? { kind, remove: id, unfinished: true } : { kind, remove: id }) as Change;
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
    const before = this.get(kind, id);
    if (this.#step !== undefined) noteFirst(this.#step, { kind, id, before });
    this.#written ??= {};
    const written: Tables<null>[K] = (this.#written[kind] ??= new Map());
    written.set(id, after ?? null);
    relink(this, this.id, kind, before, after);
    forgetCards(this.#cards, this, kind, before, after);
  }
}

function noteFirst(step: Map<string, Replacement>, replaced: Replacement): void {
  const key = `${replaced.kind} ${replaced.id}`;
  if (!step.has(key)) step.set(key, replaced);
}
