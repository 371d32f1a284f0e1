/**
 * One shard: its boards in memory and its file. Commands are decided in memory in order and committed together; nothing
 * is published before the commit is on disk.
 */
import { BoardState } from '../domain/board/board.js';
import type { BoardCommand } from '../domain/commands/commands.js';
import { decide, type Decision } from '../domain/commands/decide.js';
import type { Context } from '../domain/board/draft.js';
import { AppError, INTERNAL_ERROR, NotStored } from '../domain/errors.js';
import { forLog } from '../domain/events.js';
import { boardKeyOf, IdSource, type BoardKey, type Uuid } from '../domain/ids.js';
import type { BoardLimits } from '../domain/limits.js';
import type { MarkedBytes } from '../domain/board/marks.js';
import { dropPrepared } from '../domain/commands/preparation.js';
import { boardOfMember } from '../domain/board/membership.js';
import type { MissedEvents } from '../domain/ports/eventLog.js';
import { PRESENCE_REBUILD_MS, type Connection, type Joined } from '../domain/ports/presence.js';
import { FIRST_EPOCH, type Position } from '../domain/position.js';
import { chunkEarly, unknownOperation, uploadLost } from '../domain/refusals.js';
import { toEnd } from '../domain/slices.js';
import { ActiveBoards } from './activeBoards.js';
import { AskQueue } from './askQueue.js';
import { BoardPresence, inTextsOf } from './boardPresence.js';
import { missedEvents, renderEventPage } from './eventPage.js';
import { finishRemovals } from './finishingRemovals.js';
import { HeldBoards } from './heldBoards.js';
import { ImportingBoards } from './importingBoards.js';
import { LoadingBoards } from './loadingBoards.js';
import { LogKeeper } from './eventRetention.js';
import type { Ask, BoardReply, Notice, Outcome, Reply, ShardCommand, ShardName } from '../partitions/messages.js';
import { membershipChanges } from './membershipChanges.js';
import { addToOutbox, undeliveredPage } from './outboxEntries.js';
import { Clock, type Timestamp } from './clock.js';
import { recheckPresence } from './presenceRecheck.js';
import { commandOf, queueOf, type SettledCommand } from './settledCommands.js';
import { startHousekeeping } from './housekeeping.js';
import type { ShardStore } from './shardStore.js';
import { CommitStats, type PartitionStats } from '../partitions/partitionStats.js';
import { notOpen, refuseAll, TURN_MS, type Settlement, type Partition, type PartitionHost } from '../partitions/threadServer.js';

export interface ShardPartitionOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly budgetBytes: number;
  readonly idleSeconds: number;
  readonly retention: Retention;
  readonly presenceSeconds: number;
  /** For each board. */
  readonly limits: BoardLimits;
  readonly now?: () => Date;
  /** Monotonic, in milliseconds: for durations, because the time of day can be set. */
  readonly monotonic?: () => number;
}

/** How many events are kept for clients that were away. */
export interface Retention {
  readonly events: number;
  readonly days: number;
}

/** The results so far of the commands of one commit. */
interface Batch {
  writing: boolean;
  readonly touched: Set<BoardKey>;
  readonly notices: Notice[];
  /** Presence changes by ask, as published. They are in no file, and stay done if the commit fails. */
  readonly presence: Map<number, readonly Notice[]>;
  /** The bytes of the marks in answers and events; only if the one ask of the batch was prepared. */
  marked: MarkedBytes;
}

export class ShardPartition implements Partition {
  readonly #name: ShardName;
  readonly #store: ShardStore;
  readonly #boards: ActiveBoards;
  readonly #importing: ImportingBoards;
  readonly #logs: LogKeeper;
  readonly #presence: BoardPresence;
  readonly #host: PartitionHost;
  readonly #clock: Clock;
  readonly #monotonic: () => number;
  readonly #limits: BoardLimits;
  readonly #ids = new IdSource();
  readonly #stats = new CommitStats();
  readonly #housekeeping: { stop(): void };
  readonly #queue = new AskQueue<BoardKey>();
  readonly #held: HeldBoards;
  /** Sends a settlement. */
  #done: (settlement: Settlement) => void = () => undefined;
  #isAwaitingTurn = false;
  #isClosing = false;

  constructor(options: ShardPartitionOptions, host: PartitionHost) {
    this.#name = options.name;
    this.#store = options.store;
    this.#boards = new ActiveBoards(options.budgetBytes, options.idleSeconds * 1000);
    const { onError, later } = host;
    this.#logs = new LogKeeper(options.store.events, options.retention.events);
    this.#host = host;
    this.#clock = new Clock(options.now ?? (() => new Date()));
    this.#limits = options.limits;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#held = new HeldBoards({
      queue: this.#queue,
      boards: this.#boards,
      loading: new LoadingBoards({ store: options.store, onError, later }),
      finish: (key, board) => finishRemovals({ store: options.store, onError, timestamp: () => this.#clock.now().text }, key, board),
      host,
      monotonic: this.#monotonic,
      now: () => this.#clock.now().ms,
      send: (settlement) => this.#done(settlement),
      work: () => this.#work(),
    });
    this.#importing = new ImportingBoards({
      name: options.name,
      store: options.store,
      onError,
      later,
      now: () => this.#clock.now().text,
    });
    const presenceMs = options.presenceSeconds * 1000;
    this.#presence = new BoardPresence(presenceMs, this.#monotonic(), Math.min(PRESENCE_REBUILD_MS, presenceMs));
    // May throw, so it comes before anything that would have to be stopped.
    this.#publishUndelivered();
    this.#housekeeping = startHousekeeping({
      store: this.#store,
      boards: this.#boards,
      presence: this.#presence,
      eventDays: options.retention.days,
      isImported: (key) => this.#importing.has(key),
      host,
      now: () => this.#clock.now().ms,
      monotonic: this.#monotonic,
    });
  }

  take(asks: readonly Ask[], done: (settlement: Settlement) => void): void {
    this.#done = done;
    for (const ask of asks) {
      if (!this.#isImport(ask, done)) this.#queue.push(queueOf(commandOf(ask)), ask);
    }
    if (this.#host.isTurnOver()) this.#workLater();
    else this.#work();
  }

  stats(): PartitionStats {
    return { ...this.#stats.data, activeBoards: this.#boards.size, boardBytes: this.#boards.bytes };
  }

  probe(): void {
    this.#store.probe();
  }

  /** Answers earlier asks, except those that wait for a load. */
  close(): void {
    this.#isClosing = true;
    this.#held.close();
    while (this.#settle([]));
    this.#housekeeping.stop();
    this.#importing.abandon();
    this.#done(refuseAll(this.#queue.takeAll(), notOpen(this.#name)));
    this.#store.close();
  }

  /** True for an import. It is answered when its last slice is on disk; other boards continue meanwhile. */
  #isImport({ id, command }: Ask, done: (settlement: Settlement) => void): boolean {
    if (!('kind' in command) || command.kind !== 'import') return false;
    this.#importing.start(command.plan, (outcome, notices) => {
      done({ replies: [{ id, outcome: outcome === 'abandoned' ? notOpen(this.#name) : outcome }], notices });
    });
    return true;
  }

  /** Settles asks for one turn; the rest follows after other partitions. */
  #work(): void {
    if (this.#settle([])) this.#workLater();
  }

  #workLater(): void {
    if (this.#isAwaitingTurn) return;
    this.#isAwaitingTurn = true;
    this.#host.later(() => {
      this.#isAwaitingTurn = false;
      this.#work();
    });
  }

  /** Takes asks into the list and answers them. True if more asks are waiting. */
  #settle(taken: Ask[]): boolean {
    const batch = emptyBatch();
    try {
      const settlement = { replies: this.#commitTogether(taken, batch), notices: batch.notices };
      const [first] = taken;
      if (first === undefined) return false;
      if (this.#held.isPrepared(first) || batch.marked.size > 0) this.#held.sendInSlices(queueOf(commandOf(first)), settlement, batch.marked);
      else this.#done(settlement);
    } catch (error) {
      this.#host.onError(error);
      // One of them, or the disk, is at fault. Tried alone, each gets its own result.
      const settlements = taken.map((ask): Settlement => {
        const notices = batch.presence.get(ask.id);
        return notices === undefined ? this.#commitAlone(ask) : { replies: [{ id: ask.id, outcome: DONE }], notices };
      });
      this.#done({
        replies: settlements.flatMap(({ replies }) => replies),
        notices: settlements.flatMap(({ notices }) => notices),
      });
    }
    for (const key of batch.touched) this.#held.finishRemovals(key);
    return this.#queue.isWaiting;
  }

  #commitAlone(ask: Ask): Settlement {
    const batch = emptyBatch();
    try {
      const replies = [this.#performAsk(ask, batch)];
      this.#finish(batch, 1);
      return { replies, notices: batch.notices };
    } catch (error) {
      this.#undo(batch);
      const known = error instanceof AppError;
      if (!known || error instanceof NotStored) this.#host.onError(error);
      return { replies: [{ id: ask.id, outcome: { ok: false, error: known ? error.toData() : INTERNAL_ERROR } }], notices: [] };
    }
  }

  #commitTogether(taken: Ask[], batch: Batch): Reply[] {
    const endsAt = this.#isClosing ? Infinity : this.#monotonic() + TURN_MS;
    const replies: Reply[] = [];
    try {
      for (let next = this.#nextReady(); next !== null; next = this.#monotonic() < endsAt ? this.#nextReady() : null) {
        const isPrepared = this.#held.isPrepared(next);
        // Other replies must not wait until its large texts are encoded.
        if (isPrepared && taken.length > 0) {
          this.#queue.putBack(queueOf(commandOf(next)), next);
          break;
        }
        taken.push(next);
        replies.push(this.#performAsk(next, batch));
        if (isPrepared) break;
      }
      this.#finish(batch, taken.length);
      return replies;
    } catch (error) {
      this.#undo(batch);
      throw error;
    }
  }

  #performAsk(ask: Ask, batch: Batch): Reply {
    return { id: ask.id, outcome: this.#perform(ask.id, commandOf(ask), batch) };
  }

  #finish(batch: Batch, commands: number): void {
    if (batch.writing) this.#commit(commands);
    this.#boards.putToSleep(this.#clock.now().ms, (key) => this.#queue.has(key));
  }

  /** Memory is ahead of the disk: the touched boards are dropped and loaded again when needed. */
  #undo(batch: Batch): void {
    for (const key of batch.touched) this.#boards.drop(key);
    if (batch.writing) this.#store.rollback();
  }

  /** The next ask that can be settled at once. Asks that need long work first are held. */
  #nextReady(): Ask | null {
    for (let next = this.#queue.next(); next !== null; next = this.#queue.next()) {
      if (!this.#held.mustWait(next.key, next.ask)) return next.ask;
    }
    return null;
  }

  #commit(commands: number): void {
    const startedAt = performance.now();
    this.#store.commit();
    this.#stats.count((performance.now() - startedAt) / 1000, commands);
  }

  #perform(ask: number, command: SettledCommand, batch: Batch): Outcome {
    switch (command.kind) {
      case 'board':
        return this.#performOnBoard(command, batch);
      case 'upload.start':
        this.#write(batch).content.startUpload(command.id, this.#clock.now().text);
        return DONE;
      case 'upload.append':
        return this.#appendChunk(command, batch);
      case 'upload.drop':
        this.#write(batch).content.dropUpload(command.id);
        return DONE;
      case 'content.read':
        return this.#readContent(command);
      case 'outbox.push':
        batch.notices.push(undeliveredPage(this.#store.outbox, this.#name, command.after));
        return DONE;
      case 'outbox.delivered':
        this.#write(batch).outbox.remove(command.id);
        return DONE;
      case 'presence.join':
        return { ok: true, value: this.#join(command.connection, batch) };
      case 'presence.refresh': {
        const now = this.#monotonic();
        const notices = command.connections.flatMap((connection) => this.#presence.refresh(connection, now));
        return publishPresence(batch, ask, notices);
      }
      case 'presence.recheck':
        batch.notices.push(
          ...recheckPresence(command.connections, this.#presence, this.#store, this.#monotonic()),
        );
        return DONE;
      case 'presence.leave':
        return publishPresence(batch, ask, this.#presence.leave(command.connection));
      case 'presence.list':
        return { ok: true, value: this.#isBoard(command.board_id) ? this.#presence.list(command.board_id) : null };
      case 'events.read':
        return { ok: true, value: this.#readEvents(command.board_id, command.since) };
      default:
        // The types exclude this, but a newer instance may send another kind.
        return { ok: false, error: unknownOperation((command as ShardCommand).kind).toData() };
    }
  }

  /** Refusals are returned, not thrown: they are no reason to try the whole batch again. */
  #appendChunk({ id, n, bytes }: Extract<ShardCommand, { kind: 'upload.append' }>, batch: Batch): Outcome {
    // Several chunks are under way at once, and while a shard moves one may overtake another that is being sent again.
    if (this.#store.content.lacksChunkBefore(id, n)) return CHUNK_EARLY;
    return this.#write(batch).content.appendChunk(id, n, bytes) ? DONE : UPLOAD_LOST;
  }

  /** Damaged content fails this ask only, and is no reason to retry the whole batch. */
  #readContent({ id, from, to }: Extract<ShardCommand, { kind: 'content.read' }>): Outcome {
    try {
      return { ok: true, value: Buffer.concat(this.#store.content.read(id, from, to)) };
    } catch (error) {
      this.#host.onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    }
  }

  /** Registers a member as present, and refuses everyone else. */
  #join(connection: Connection, batch: Batch): Joined {
    const { board_id, user_id } = connection;
    const board = boardOfMember(this.#boardFor(boardKeyOf(board_id), this.#clock.now()), board_id, user_id);
    if (board instanceof AppError) {
      // They may have joined through a change in a batch that then failed, which was not published.
      this.#presence.leave(connection);
      return { ok: false, error: board.toData() };
    }
    batch.notices.push(this.#presence.join(inTextsOf(board, connection), this.#monotonic()));
    return { ok: true, epoch: board.epoch, seq: board.seq };
  }

  /** Every id on a board leads to its shard; only the board's own id is the board. */
  #isBoard(id: Uuid): boolean {
    const key = boardKeyOf(id);
    const active = this.#boards.get(key, this.#clock.now().ms);
    return (active?.id ?? this.#store.idOf(key)) === id;
  }

  #readEvents(boardId: Uuid, since: Position): MissedEvents {
    const key = boardKeyOf(boardId);
    const board = this.#boards.get(key, this.#clock.now().ms);
    return missedEvents(this.#store.events, key, since, board ?? this.#store.positionOf(key) ?? NO_EVENTS);
  }

  #performOnBoard(asked: Extract<SettledCommand, { kind: 'board' }>, batch: Batch): Outcome {
    const { command } = asked;
    const key = boardKeyOf(command.target);
    const now = this.#clock.now();
    const board = command.op === 'board.summary' ? this.#summaryFor(asked, key, now) : this.#boardFor(key, now);
    let decision: Decision;
    try {
      decision = decide(board, command, this.#context(key, now));
    } catch (error) {
      // A fault in a handler. Its draft is dropped, so neither the board nor the rest of the batch is affected.
      this.#host.onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    } finally {
      if (board !== null) {
        if (board.prepared.marked.size > 0) batch.marked = new Map(board.prepared.marked);
        dropPrepared(board);
      }
    }
    const state = board ?? BoardState.empty(command.target);
    const outboxId = this.#apply(key, state, decision, batch, now);
    const outcome = this.#complete(command, key, decision, state.epoch);
    const reply: BoardReply = { outcome, ...(outboxId === null ? {} : { outboxId }) };
    return { ok: true, value: reply };
  }

  #context(key: BoardKey, now: Timestamp): Context {
    return { now: now.text, limits: this.#limits, newId: () => this.#ids.onBoard(key) };
  }

  /** The part of a sleeping board for the list of boards, without loading it. */
  #summaryFor(asked: SettledCommand, key: BoardKey, now: Timestamp): BoardState | null {
    const known = this.#boards.get(key, now.ms) ?? this.#held.summaryFor(asked);
    if (known !== undefined) return known;
    const loaded = toEnd(this.#store.readSummary(key));
    return loaded && BoardState.load(loaded);
  }

  #boardFor(key: BoardKey, now: Timestamp): BoardState | null {
    const active = this.#boards.get(key, now.ms);
    if (active !== undefined) return active;
    const loaded = this.#store.loadBoard(key);
    if (loaded === null) return null;
    const board = BoardState.load(loaded);
    this.#boards.set(key, board, now.ms);
    return board;
  }

  /** Applies an accepted decision to memory and to the open transaction. Returns its outbox id, if any. */
  #apply(key: BoardKey, board: BoardState, decision: Decision, batch: Batch, now: Timestamp): number | null {
    const { changes, events, seq, boardDeleted, removedUsers } = decision;
    if (changes.length === 0 && events.length === 0) return null;
    const store = this.#write(batch);
    batch.touched.add(key);
    const logged = forLog(events, batch.marked.size > 0);
    store.write(key, changes, logged, seq, now.text);
    board.apply(changes, seq);
    if (boardDeleted) {
      this.#boards.drop(key);
    } else {
      this.#boards.set(key, board, now.ms);
      this.#logs.noteWritten(board, logged);
    }
    const board_id = board.id;
    if (events.length > 0) batch.notices.push({ kind: 'board.events', board_id, epoch: board.epoch, events });
    else batch.notices.push({ kind: 'board.changed', board_id });
    if (removedUsers.length > 0) batch.notices.push({ kind: 'board.left', board_id, user_ids: removedUsers });
    if (boardDeleted) batch.notices.push({ kind: 'board.gone', board_id });
    return this.#addToOutbox(key, board, decision, batch);
  }

  #addToOutbox(key: BoardKey, board: BoardState, decision: Decision, batch: Batch): number | null {
    const members = membershipChanges(board, decision);
    if (members === null) return null;
    const content = { kind: 'membership', target: 'directory', payload: { board_id: board.id, members } } as const;
    const entry = addToOutbox(this.#store.outbox, this.#name, key, content);
    batch.notices.push({ kind: 'outbox', entry });
    return entry.id;
  }

  /** Adds what is not in the board's memory. */
  #complete(command: BoardCommand, key: BoardKey, { outcome, seq }: Decision, epoch: string): Decision['outcome'] {
    if (command.op !== 'board.events' || !outcome.ok || !('since' in command.input)) return outcome;
    const missed = missedEvents(this.#store.events, key, command.input.since, { epoch, seq });
    return { ...outcome, json: renderEventPage(missed) };
  }

  /** The store, inside a transaction. */
  #write(batch: Batch): ShardStore {
    if (!batch.writing) {
      this.#store.begin();
      batch.writing = true;
    }
    return this.#store;
  }

  /** Publishes rows that were committed before a restart and not confirmed: their targets may or may not have them. */
  #publishUndelivered(): void {
    this.#host.publish([undeliveredPage(this.#store.outbox, this.#name, 0)]);
  }
}

const DONE: Outcome = { ok: true, value: null };
const UPLOAD_LOST: Outcome = { ok: false, error: uploadLost().toData() };
const CHUNK_EARLY: Outcome = { ok: false, error: chunkEarly().toData(), notHere: true };

/** Of a board that is not there. */
const NO_EVENTS: Position = { epoch: FIRST_EPOCH, seq: 0 };
const NO_MARKS: MarkedBytes = new Map();

function emptyBatch(): Batch {
  return { writing: false, touched: new Set(), notices: [], presence: new Map(), marked: NO_MARKS };
}

/** Presence has changed, and that is published even if the commit fails. */
function publishPresence(batch: Batch, ask: number, notices: readonly Notice[]): Outcome {
  batch.notices.push(...notices);
  batch.presence.set(ask, notices);
  return DONE;
}
