/**
 * Holds the asks of a board while long work runs in slices: the board is loaded, its cards are rendered for the next
 * ask, the large answer of the last ask is encoded, or its removals are finished or its cards numbered. Other boards continue.
 */
import type { BoardState } from '../../domain/board/board.js';
import { INTERNAL_ERROR } from '../../domain/errors.js';
import { boardKeyOf, type BoardKey } from '../../domain/ids.js';
import type { MarkedBytes } from '../../domain/board/marks.js';
import { dropPrepared, prepare } from '../../domain/commands/steps/preparation.js';
import { toEnd } from '../../domain/slices.js';
import type { ActiveBoards } from './activeBoards.js';

import type { FinishingRemovals } from './finishingRemovals.js';
import { encodeLargeTexts } from './largeTexts.js';
import { partFor, type LoadingBoards, type Part } from './loadingBoards.js';
import { reachesTrash } from '../trashedBoards.js';
import type { Ask, Notice, Reply, ShardCommand } from '../../partitions/messages.js';
import type { AskQueue } from '../../partitions/runtime/askQueue.js';
import { TURN_MS, type Settlement, type PartitionHost } from '../../partitions/runtime/partition.js';

/** The commands that are carried out within one commit. */
export type SettledCommand = Exclude<ShardCommand, { kind: 'import' }>;

/** The queue of commands without a board. */
const NO_BOARD: BoardKey = '';

/** Asks in the queue are of this kind: imports are never queued. */
export function commandOf({ command }: Ask): SettledCommand {
  return command as SettledCommand;
}

/** The part of the board that must be in memory for a command. A board in memory is always complete. */
function neededPart(command: SettledCommand): Part | 'nothing' {
  if (command.kind === 'presence.join') return 'all';
  if (command.kind === 'keyed') return 'all';
  if (command.kind !== 'board') return 'nothing';
  return partFor(command.command);
}

/** Commands about the same board stay in order. Presence commands without a membership check have their own queue. */
export function queueOf(command: SettledCommand): BoardKey {
  switch (command.kind) {
    case 'board':
    case 'keyed':
      return boardKeyOf(command.command.target);
    case 'presence.join':
      return boardKeyOf(command.connection.board_id);
    case 'answer.find':
    case 'events.read':
    case 'events.forget':
    case 'board.discard':
    case 'webhooks.page':
      return boardKeyOf(command.board_id);
    case 'webhook':
      return boardKeyOf(command.target);
    case 'upload.start':
    case 'upload.append':
    case 'upload.drop':
    case 'content.read':
      return boardKeyOf(command.id);
    default:
      return NO_BOARD;
  }
}

export interface HeldBoardsOptions {
  readonly queue: AskQueue;
  readonly boards: ActiveBoards;
  readonly loading: LoadingBoards;
  readonly removals: FinishingRemovals;
  readonly host: Pick<PartitionHost, 'onError' | 'later'>;
  /** Monotonic, in milliseconds. */
  readonly monotonic: () => number;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  readonly send: (settlement: Settlement) => void;
  /** Continues with the queue. */
  readonly work: () => void;
}

export class HeldBoards {
  readonly #options: HeldBoardsOptions;
  /** Asks whose preparation is done. */
  readonly #ready = new WeakSet<Ask>();
  readonly #prepared = new WeakSet<Ask>();
  /** Summaries that were loaded for commands that need no more of the board. */
  readonly #summaries = new WeakMap<SettledCommand, BoardState>();
  /** Settlements whose large texts are being encoded, by board. */
  readonly #sending = new Map<BoardKey, Generator<undefined, Settlement>>();
  /** Boards on hold whose removals are finished after the batch: its commit may still undo them. */
  readonly #unfinished = new Set<BoardKey>();
  #isClosing = false;

  constructor(options: HeldBoardsOptions) {
    this.#options = options;
  }

  /** Whether its answer and events are large. Such an ask is settled alone and answered by `sendInSlices`. */
  isPrepared(ask: Ask): boolean {
    return this.#prepared.has(ask);
  }

  /** True if the board must be loaded, prepared or cleaned first: its asks are held meanwhile. */
  mustWait(key: BoardKey, ask: Ask): boolean {
    const command = commandOf(ask);
    const part = neededPart(command);
    if (this.#ready.has(ask) || part === 'nothing') return false;
    const { boards, queue, now } = this.#options;
    const active = boards.get(key, now());
    const board = active ?? this.#summaries.get(command);
    if (board === undefined) return this.#waitsForLoad(key, ask, this.#isInTrash(key, command) ? 'trashed' : part);
    // A board in the trash has its removals finished when it is there again.
    if (active !== undefined && this.#options.removals.isNeeded(active)) {
      queue.hold(key, ask);
      this.#unfinished.add(key);
      return true;
    }
    const preparation = 'command' in command && !this.#isClosing ? prepare(board, command.command) : null;
    if (preparation === null) return false;
    queue.hold(key, ask);
    this.#prepareOn(key, ask, board, preparation);
    return true;
  }

  /** The summary that was loaded for a command. */
  summaryFor(command: SettledCommand): BoardState | undefined {
    return this.#summaries.get(command);
  }

  /** The same, for a command that changes what was loaded. */
  takeSummary(command: SettledCommand): BoardState | undefined {
    const summary = this.#summaries.get(command);
    this.#summaries.delete(command);
    return summary;
  }

  #isInTrash(key: BoardKey, command: SettledCommand): boolean {
    const mayBe = (command.kind === 'board' || command.kind === 'keyed') && reachesTrash(command);
    return mayBe && this.#options.loading.isTrashed(key);
  }

  /** The board's next asks wait: its events must leave in order. */
  sendInSlices(key: BoardKey, settlement: Settlement, marked: MarkedBytes): void {
    const encoding = encodeLargeTexts(settlement, marked);
    if (this.#isClosing) return this.#options.send(toEnd(encoding));
    this.#sending.set(key, encoding);
    this.#options.queue.block(key);
    this.#sendOn(key, encoding, settlement);
  }

  /** Called when a batch is settled: finishes the removals of its boards before their next ask. */
  batchSettled(touched: Iterable<BoardKey>): void {
    for (const key of this.#unfinished) this.#finishLater(key);
    this.#unfinished.clear();
    for (const key of touched) this.#finishRemovals(key);
  }

  /** Sends what is stored; loads in progress are abandoned, removals are left to the next owner. */
  close(): void {
    this.#isClosing = true;
    for (const [key, encoding] of this.#sending) {
      this.#options.send(toEnd(encoding));
      this.#options.queue.release(key);
    }
    this.#sending.clear();
    this.#options.loading.abandon();
    this.#options.removals.stop();
  }

  #waitsForLoad(key: BoardKey, ask: Ask, part: Part): boolean {
    const { boards, loading, queue, now } = this.#options;
    let isHeld = false;
    const isDone = loading.load(key, part, (board) => {
      if (part === 'trashed') board?.finishInMemory();
      if (board === null) this.#ready.add(ask);
      else if (part === 'all') boards.set(key, board, now());
      else this.#summaries.set(commandOf(ask), board);
      if (isHeld) this.#resume(key);
    });
    if (isDone) return this.mustWait(key, ask);
    isHeld = true;
    queue.hold(key, ask);
    return true;
  }

  #prepareOn(key: BoardKey, ask: Ask, board: BoardState, preparation: Generator<undefined, void>): void {
    const { host } = this.#options;
    host.later(() => {
      if (this.#isClosing) return;
      try {
        if (this.#runTurn(preparation).done !== true) return this.#prepareOn(key, ask, board, preparation);
        this.#prepared.add(ask);
      } catch (error) {
        // The ask meets the same fault again and reports it.
        dropPrepared(board);
        host.onError(error);
      }
      this.#ready.add(ask);
      this.#resume(key);
    });
  }

  #sendOn(key: BoardKey, encoding: Generator<undefined, Settlement>, settlement: Settlement): void {
    const { host, send } = this.#options;
    host.later(() => {
      if (this.#isClosing) return;
      try {
        const step = this.#runTurn(encoding);
        if (step.done !== true) return this.#sendOn(key, encoding, settlement);
        send(step.value);
      } catch (error) {
        // The change is stored. The answer only says that something went wrong.
        host.onError(error);
        const replies = settlement.replies.map(({ id }): Reply => ({ id, outcome: { ok: false, error: INTERNAL_ERROR } }));
        send({ replies, notices: settlement.notices.map(withoutEvents) });
      }
      this.#sending.delete(key);
      this.#resume(key);
    });
  }

  #finishRemovals(key: BoardKey): void {
    const { boards, queue, removals, now } = this.#options;
    // The work that holds the board ends with `#resume`, which calls this again.
    const board = boards.get(key, now());
    if (queue.isHeld(key) || board === undefined || !removals.isNeeded(board)) return;
    queue.block(key);
    this.#finishLater(key);
  }

  #finishLater(key: BoardKey): void {
    const { boards, removals, now, host } = this.#options;
    host.later(() => {
      // The board is not in memory if the commit failed.
      const board = boards.get(key, now());
      if (board === undefined) return this.#resume(key);
      removals.finish(key, board, () => {
        if (boards.has(key)) boards.set(key, board, now());
        this.#resume(key);
      });
    });
  }

  /** Runs until the turn is over. */
  #runTurn<Value>(slices: Generator<undefined, Value>): IteratorResult<undefined, Value> {
    const { monotonic } = this.#options;
    for (const endsAt = monotonic() + TURN_MS; ;) {
      const step = slices.next();
      if (step.done === true || monotonic() >= endsAt) return step;
    }
  }

  #resume(key: BoardKey): void {
    const { queue, work } = this.#options;
    queue.release(key);
    this.#finishRemovals(key);
    if (queue.has(key)) work();
  }
}

/** The change is still published, so that caches drop the board. Sockets detect the gap with its next event. */
function withoutEvents(notice: Notice): Notice {
  return notice.kind === 'board.events' ? { kind: 'board.changed', board_id: notice.board_id } : notice;
}
