/** Carries out commands on boards: decided in memory, written to the open transaction, published after the commit. */
import { BoardState } from '../../domain/board/board.js';
import type { Context } from '../../domain/board/draft.js';
import { LeavingMembers } from '../../domain/board/leavingMembers.js';
import { list } from '../../domain/board/view.js';
import { isForWatchers } from '../../domain/account/notification.js';
import type { BoardCommand } from '../../domain/commands/commands.js';
import { decide, type Decision } from '../../domain/commands/decide.js';
import type { MembershipChanges } from '../../domain/commands/directoryCommands.js';
import { dropPrepared } from '../../domain/commands/steps/preparation.js';
import { INTERNAL_ERROR } from '../../domain/errors.js';
import { activityIn, forLog, type BoardEvent } from '../../domain/events.js';
import { boardKeyOf, IdSource, type BoardKey, type Uuid } from '../../domain/ids.js';
import type { BoardLimits } from '../../domain/limits.js';
import type { MissedEvents } from '../../domain/ports/eventLog.js';
import { FIRST_EPOCH, type Position } from '../../domain/position.js';
import { toEnd } from '../../domain/slices.js';
import { TokenBuckets, type Rate } from '../../flow/tokenBuckets.js';
import type { BoardReply, Notice, Outcome, ShardName } from '../../partitions/messages.js';
import type { ActiveBoards } from '../boards/activeBoards.js';
import type { FiringTimers } from '../firingTimers.js';
import type { Clock, Timestamp } from '../clock.js';
import { missedEvents, renderEventPage } from './eventPage.js';
import type { LogKeeper } from '../eventRetention.js';
import { partFor, readPart } from '../boards/loadingBoards.js';
import { mayReach, pauseFormerOwners, reachesTrash, settleWebhooks } from '../trashedBoards.js';
import type { HeldBoards, SettledCommand } from '../boards/heldBoards.js';
import { addMoves, addNotifications, addToOutbox } from './outboxEntries.js';
import type { Change } from '../../domain/model.js';
import type { ShardBatch, ShardStore } from '../shardStore.js';

export interface BoardCommandsOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly boards: ActiveBoards;
  readonly held: Pick<HeldBoards, 'summaryFor' | 'takeSummary'>;
  readonly logs: LogKeeper;
  readonly timers: Pick<FiringTimers, 'note' | 'lookAgain'>;
  readonly limits: BoardLimits;
  /** See `Context`. */
  readonly schema?: number | undefined;
  /** See `Context`. */
  readonly trashDays: number;
  readonly clock: Clock;
  /** In milliseconds. */
  readonly monotonic: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * One change may concern everyone on a board of a thousand, and the directory writes a row for each: beyond this the changes of the
 * board are not reported to those who watch it. A hundred a second take half a hundredth of its time.
 */
const WATCHER_NOTICES: Rate = { burst: 20_000, perSecond: 100 };
/** The one that was busy longest ago starts anew. */
const MAX_LIMITED_BOARDS = 10_000;

type BoardAsk = Extract<SettledCommand, { kind: 'board' | 'keyed' }>;
type TrashEntry = NonNullable<MembershipChanges['trashed']>;

/** Of a board that is not there. */
const NO_EVENTS: Position = { epoch: FIRST_EPOCH, seq: 0 };

export class BoardCommands {
  readonly #options: BoardCommandsOptions;
  readonly #ids = new IdSource();
  readonly #leaving = new LeavingMembers();
  /** Notices to those who watch something, by board. */
  readonly #watcherNotices: TokenBuckets;

  constructor(options: BoardCommandsOptions) {
    this.#options = options;
    this.#watcherNotices = new TokenBuckets(WATCHER_NOTICES, { now: options.monotonic, maxOwners: MAX_LIMITED_BOARDS });
  }

  perform(asked: BoardAsk, batch: ShardBatch): Outcome {
    const { command } = asked;
    const key = boardKeyOf(command.target);
    const now = this.#options.clock.now();
    const trashed = reachesTrash(asked) ? this.#fromTrash(asked, key, now) : null;
    const board = trashed?.board ?? (partFor(command) !== 'all' ? this.#partFor(asked, key, now) : this.boardFor(key, now));
    let decision: Decision;
    try {
      decision = decide(board, command, this.#context(key, now, trashed !== null));
    } catch (error) {
      // A fault in a handler. Its draft is dropped, so neither the board nor the rest of the batch is affected.
      this.#options.onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    } finally {
      if (board !== null) {
        if (board.prepared.marked.size > 0) batch.marked = new Map(board.prepared.marked);
        dropPrepared(board);
      }
    }
    const state = board ?? BoardState.empty(command.target, this.#options.store.onDiskOf(key));
    if (decision.leaving !== null) this.#leaving.noteStep(key, decision.leaving, now.ms);
    for (const user of decision.removedUsers) this.#leaving.delete(key, user);
    // As a viewer the user cannot be assigned anyway, and may be made a member again.
    for (const { user_id } of decision.newRoles) this.#leaving.delete(key, user_id);
    const outboxId = this.#apply(key, state, decision, batch, now, trashed?.deletedAt ?? null) ?? decision.outboxId;
    if (decision.keep !== null) batch.write().answers.keep({ ...decision.keep, outboxId }, now.text);
    const outcome = this.#complete(command, key, decision, state.epoch);
    const reply: BoardReply = { outcome, ...(outboxId === null ? {} : { outboxId }) };
    return { ok: true, value: reply };
  }

  /** From memory, or loaded now. Null if there is no such board. */
  boardFor(key: BoardKey, now: Timestamp): BoardState | null {
    const { boards, store } = this.#options;
    const active = boards.get(key, now.ms);
    if (active !== undefined) return active;
    const loaded = store.loadBoard(key);
    if (loaded === null) return null;
    const board = BoardState.load(loaded, store.onDiskOf(key));
    boards.set(key, board, now.ms);
    return board;
  }

  readEvents(boardId: Uuid, since: Position): MissedEvents {
    const { boards, clock, store } = this.#options;
    const key = boardKeyOf(boardId);
    const board = boards.get(key, clock.now().ms);
    return missedEvents(store.events, key, since, board ?? store.positionOf(key) ?? NO_EVENTS);
  }

  #context(key: BoardKey, now: Timestamp, isTrashed: boolean): Context {
    const { limits, schema, trashDays, store } = this.#options;
    return {
      now: now.text,
      limits,
      trashDays,
      ...(schema !== undefined && { schema }),
      ...(isTrashed && { isTrashed }),
      newId: () => this.#ids.onBoard(key),
      wasUsed: (id) => store.usedIds.has(key, id),
      findCreate: (id) => store.usedIds.findCreate(key, id),
      isLeaving: (user) => this.#leaving.has(key, user, now.ms),
      mayTellWatchers: () => this.#watcherNotices.wait(key) === 0,
      findAnswer: (user, idempotencyKey) => store.answers.find(user, idempotencyKey, now.text),
    };
  }

  /** The part of a sleeping board that the command needs, without loading the rest. */
  #partFor(asked: BoardAsk, key: BoardKey, now: Timestamp): BoardState | null {
    const { boards, held, store } = this.#options;
    const known = boards.get(key, now.ms) ?? held.summaryFor(asked);
    if (known !== undefined) return known;
    const loaded = toEnd(readPart(store, key, partFor(asked.command)));
    return loaded && BoardState.load(loaded, store.onDiskOf(key));
  }

  /** A board that this caller reaches in the trash. Others do not see it: it does not become an active board. */
  #fromTrash(asked: BoardAsk, key: BoardKey, now: Timestamp): { readonly board: BoardState; readonly deletedAt: string } | null {
    const { held, store, trashDays } = this.#options;
    const deletedAt = store.trashedBoards.deletedAt(key);
    if (deletedAt === null) return null;
    // Once: after a commit that failed, memory has changes that the file lacks.
    const board = held.takeSummary(asked) ?? this.#loadTrashed(key);
    return board !== null && mayReach(asked, board, deletedAt, now.text, trashDays) ? { board, deletedAt } : null;
  }

  #loadTrashed(key: BoardKey): BoardState | null {
    const { store } = this.#options;
    const loaded = toEnd(store.readTrashed(key));
    return loaded && BoardState.load(loaded, store.onDiskOf(key));
  }

  /** Applies an accepted decision to memory and to the open transaction. Returns its outbox id, if any. `trashedAt`: of a board in the trash. */
  #apply(key: BoardKey, board: BoardState, decision: Decision, batch: ShardBatch, now: Timestamp, trashedAt: string | null): number | null {
    if (trashedAt !== null && !decision.boardRestored) return this.#applyInTrash(key, decision, batch, now, trashedAt);
    const { changes, events, activity, creates, seq, boardDeleted, boardTrashed, boardRestored, removedUsers, newRoles, timers, notifications } =
      decision;
    if (changes.length === 0 && events.length === 0 && activity === null) return null;
    const { name, boards, logs } = this.#options;
    const store = batch.write();
    batch.touched.add(key);
    const logged = forLog(events, batch.marked.size > 0);
    if (boardRestored) store.trashedBoards.restore(key);
    const trash = boardTrashed ? trashEntryOf(board, now.text) : null;
    if (boardDeleted) pauseFormerOwners(store, key, now.text);
    if (boardTrashed) store.trashBoard(key, board.id, logged, seq, now.text);
    else store.write(key, changes, logged, seq, now.text, activity);
    if (timers.length > 0) {
      store.timers.change(key, timers);
      this.#options.timers.note(timers);
    }
    if (creates.length > 0) store.usedIds.addCreates(key, creates);
    board.apply(changes, seq, activityIn(logged, now.text));
    if (boardDeleted) {
      boards.drop(key);
      this.#options.timers.lookAgain();
    } else {
      boards.set(key, board, now.ms);
      logs.noteWritten(board, logged);
      logs.noteChanged(board, changes, now.text);
    }
    const board_id = board.id;
    if (events.length > 0) batch.notices.push({ kind: 'board.events', board_id, epoch: board.epoch, events });
    else batch.notices.push({ kind: 'board.changed', board_id });
    if (!boardDeleted && events.some(isInLists)) batch.notices.push(listedNotice(board));
    if (removedUsers.length > 0) batch.notices.push({ kind: 'board.left', board_id, user_ids: removedUsers });
    if (newRoles.length > 0) batch.notices.push({ kind: 'board.roles', board_id, roles: newRoles });
    if (boardDeleted) batch.notices.push({ kind: 'board.gone', board_id });
    if (boardRestored) batch.notices.push(...settleWebhooks(store, key, board, now.text));
    const others = notifications.filter(({ kind }) => kind !== 'invited');
    if (others.length > 0) {
      this.#watcherNotices.spend(key, others.filter(({ kind }) => isForWatchers(kind)).length);
      batch.notices.push(...addNotifications(store.outbox, name, key, others, () => this.#ids.fresh()));
    }
    if (changes.some(({ kind }) => kind === 'moved')) {
      forgetRefused(store, changes);
      this.#options.timers.lookAgain();
      batch.notices.push(...addMoves(store.outbox, name, key, changes));
    }
    return this.#addToOutbox(key, board, decision, batch, trash);
  }

  /** The board is there for the writes alone: it goes back before the commit, and no event leaves. */
  #applyInTrash(key: BoardKey, { changes, events, activity, seq }: Decision, batch: ShardBatch, now: Timestamp, trashedAt: string): null {
    if (changes.length === 0 && events.length === 0 && activity === null) return null;
    const store = batch.write();
    batch.touched.add(key);
    store.trashedBoards.restore(key);
    store.write(key, changes, events, seq, now.text, activity);
    store.trashedBoards.keep(key, trashedAt);
    return null;
  }

  #addToOutbox(key: BoardKey, board: BoardState, decision: Decision, batch: ShardBatch, trash: TrashEntry | null): number | null {
    const members = membershipChanges(board, decision);
    if (members === null) return null;
    const { name, store } = this.#options;
    const invited = decision.notifications.filter(({ kind }) => kind === 'invited').map((each) => ({ id: this.#ids.fresh(), ...each }));
    const payload = {
      board_id: board.id,
      members,
      ...(invited.length > 0 ? { notifications: invited } : {}),
      ...(trash === null ? {} : { trashed: trash }),
      ...(decision.boardRestored ? { is_restored: true as const } : {}),
    };
    const content = { kind: 'membership', target: 'directory', payload } as const;
    const entry = addToOutbox(store.outbox, name, key, content);
    batch.notices.push({ kind: 'outbox', entry });
    return entry.id;
  }

  /** Adds what is not in the board's memory. */
  #complete(command: BoardCommand, key: BoardKey, { outcome, seq }: Decision, epoch: string): Decision['outcome'] {
    if (command.op !== 'board.events' || !outcome.ok || !('since' in command.input)) return outcome;
    const missed = missedEvents(this.#options.store.events, key, command.input.since, { epoch, seq });
    return { ...outcome, json: renderEventPage(missed) };
  }
}

/** Whether an event changes what a list of boards shows of a board: its own fields, its labels and its members. */
function isInLists({ type }: Pick<BoardEvent, 'type'>): boolean {
  return type.startsWith('board.') || type.startsWith('label.');
}

function listedNotice(board: BoardState): Notice {
  const user_ids = list(board, 'member', board.id).map(({ id }) => id);
  return { kind: 'board.listed', board_id: board.id, title: board.get('board', board.id)?.title ?? '', user_ids };
}

/** What the directory needs to let the owners restore a board. To be read before the board is gone from memory. */
function trashEntryOf(board: BoardState, deleted_at: string): TrashEntry {
  const owners = list(board, 'member', board.id).flatMap(({ id, role }) => (role === 'owner' ? [id] : []));
  return { title: board.get('board', board.id)?.title ?? '', deleted_at, owners };
}

/** The membership changes of an applied decision for the directory; null if there are none. */
/** A move that was answered before the other board refused it: the same request with its key begins anew. */
function forgetRefused({ answers }: ShardStore, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind === 'moved' && 'put' in change && change.put.state === 'refused') answers.removeSaying(change.put.moved_by, change.put.new_id);
  }
}

function membershipChanges(board: BoardState, decision: Decision): MembershipChanges['members'] | null {
  if (decision.boardDeleted) return 'none left';
  if (decision.memberships.length === 0) return null;
  return decision.memberships.map(({ user_id, is_visitor }) => ({
    user_id,
    profile: board.get('member', user_id)?.user ?? null,
    ...(is_visitor === true ? { is_visitor } : {}),
  }));
}
