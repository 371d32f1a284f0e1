/** Carries out every kind of command that a commit can hold. */
import type { BoardState } from '../../domain/board/board.js';
import { AppError, INTERNAL_ERROR } from '../../domain/errors.js';
import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import type { FoundAnswer } from '../../domain/ports/boardsPort.js';
import type { Connection, Joined } from '../../domain/ports/presence.js';
import { isRestricted } from '../../domain/model.js';
import { chunkEarly, notFound, notMember, unknownOperation, uploadLost } from '../../domain/refusals.js';
import { DONE, type BoardReply, type Outcome, type ShardCommand, type ShardName } from '../../partitions/messages.js';
import type { ActiveBoards } from '../boards/activeBoards.js';
import type { BoardCommands } from './boardCommands.js';
import { inTextsOf, type BoardPresence } from '../presence/boardPresence.js';
import type { Clock } from '../clock.js';
import { undeliveredPage } from './outboxEntries.js';
import { recheckPresence } from '../presence/presenceRecheck.js';
import type { SettledCommand } from '../boards/heldBoards.js';
import type { ShardBatch, ShardStore } from '../shardStore.js';
import { discardBoard } from '../trashedBoards.js';
import { WebhookCommands } from '../webhooks/webhookCommands.js';

export interface ShardCommandsOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly boards: ActiveBoards;
  readonly onBoards: BoardCommands;
  readonly presence: BoardPresence;
  readonly clock: Clock;
  readonly monotonic: () => number;
  readonly onError: (error: unknown) => void;
}

/** Events deleted in one commit, so that no other board waits long. */
const FORGET_STEP = 500;

const UPLOAD_LOST: Outcome = { ok: false, error: uploadLost().toData() };
const CHUNK_EARLY: Outcome = { ok: false, error: chunkEarly().toData(), notHere: true };

export class ShardCommands {
  readonly #options: ShardCommandsOptions;
  readonly #webhooks: WebhookCommands;

  constructor(options: ShardCommandsOptions) {
    this.#options = options;
    this.#webhooks = new WebhookCommands(options);
  }

  /** `ask` is the number of the ask with this command. */
  perform(ask: number, command: SettledCommand, batch: ShardBatch): Outcome {
    const { name, store, onBoards, presence, clock, monotonic, onError } = this.#options;
    switch (command.kind) {
      case 'board':
      case 'keyed':
        return onBoards.perform(command, batch);
      case 'answer.find':
        return { ok: true, value: findAnswer(store, command, clock.now().text) };
      case 'upload.start':
        return { ok: true, value: batch.write().content.startUpload(command.id, clock.now().text) };
      case 'upload.append':
        return appendChunk(store, command, batch);
      case 'upload.drop':
        batch.write().content.dropUpload(command.id);
        return DONE;
      case 'content.read':
        return readContent(store, command, onError);
      case 'outbox.push':
        batch.notices.push(undeliveredPage(store.outbox, name, command.after));
        return DONE;
      case 'outbox.delivered':
        batch.write().outbox.remove(command.id);
        return DONE;
      case 'presence.join':
        return { ok: true, value: this.#join(command.connection, command.attendance === true, batch) };
      case 'presence.state':
        return batch.publishPresence(ask, presence.setState(command.connection, monotonic()));
      case 'presence.refresh': {
        const now = monotonic();
        return batch.publishPresence(
          ask,
          command.connections.flatMap((connection) => presence.refresh(connection, now)),
        );
      }
      case 'presence.recheck':
        batch.notices.push(...recheckPresence(command.connections, presence, store, monotonic()));
        return DONE;
      case 'presence.leave':
        return batch.publishPresence(ask, presence.leave(command.connection));
      case 'presence.list':
        return { ok: true, value: this.#isBoard(command.board_id) ? presence.list(command.board_id) : null };
      case 'presence.states':
        return { ok: true, value: presence.states(command.board_id) };
      case 'events.read':
        return { ok: true, value: onBoards.readEvents(command.board_id, command.since) };
      case 'webhook':
      case 'webhooks.running':
      case 'webhooks.pending':
      case 'webhooks.page':
      case 'webhooks.progress':
      case 'webhooks.admin':
      case 'webhooks.pause':
      case 'webhooks.overAll':
      case 'webhooks.setOverAll':
      case 'webhooks.deliveries':
        return this.#webhooks.perform(command, batch);
      case 'board.discard':
        return { ok: true, value: this.#discard(command.board_id, batch) };
      case 'events.forget':
        return { ok: true, value: batch.write().events.forget(boardKeyOf(command.board_id), command.upTo, FORGET_STEP) };
      default:
        // The types exclude this, but a newer instance may send another kind.
        return { ok: false, error: unknownOperation((command as ShardCommand).kind).toData() };
    }
  }

  #discard(boardId: Uuid, batch: ShardBatch): BoardReply {
    const { name, store } = this.#options;
    const [key, outcome] = [boardKeyOf(boardId), { ok: true, json: null } as const];
    if (store.trashedBoards.deletedAt(key) === null) return { outcome };
    const entry = discardBoard(batch.write(), name, key, boardId);
    if (entry === null) return { outcome };
    batch.notices.push({ kind: 'outbox', entry });
    return { outcome, outboxId: entry.id };
  }

  /** Registers a member as present, and refuses everyone else. */
  #join(connection: Connection, wantsSnapshot: boolean, batch: ShardBatch): Joined {
    const { onBoards, presence, clock, monotonic } = this.#options;
    const { board_id, user_id } = connection;
    const board = boardOfMember(onBoards.boardFor(boardKeyOf(board_id), clock.now()), board_id, user_id);
    if (board instanceof AppError) {
      // They may have joined through a change in a batch that then failed, which was not published.
      presence.leave(connection);
      return { ok: false, error: board.toData() };
    }
    batch.notices.push(presence.join(inTextsOf(board, connection), monotonic()));
    const role = board.get('member', user_id)?.role ?? 'viewer';
    const position = { ok: true, epoch: board.epoch, seq: board.seq, ...(isRestricted(role) ? { restriction: role } : {}) } as const;
    return wantsSnapshot ? { ...position, attendance: presence.snapshotOf(board_id) } : position;
  }

  /** Every id on a board leads to its shard; only the board's own id is the board. */
  #isBoard(id: Uuid): boolean {
    const { boards, clock, store } = this.#options;
    const key = boardKeyOf(id);
    const active = boards.get(key, clock.now().ms);
    return (active?.id ?? store.idOf(key)) === id;
  }
}

/** What a request with a key finds of the board that it would create. */
function findAnswer(store: ShardStore, { board_id, user_id, key }: Extract<ShardCommand, { kind: 'answer.find' }>, now: string): FoundAnswer {
  const board = boardKeyOf(board_id);
  const found = store.idOf(board);
  const none = store.orphans.has(board) ? 'loose' : 'none';
  return { kept: store.answers.find(user_id, key, now), board: found === null ? none : found === board_id ? 'exists' : 'taken' };
}

/** A refusal is returned, not thrown: it is no reason to try the batch again. */
function appendChunk(store: ShardStore, { id, n, bytes }: Extract<ShardCommand, { kind: 'upload.append' }>, batch: ShardBatch): Outcome {
  // Several chunks are under way at once, and while a shard moves one may overtake another that is being sent again.
  if (store.content.lacksChunkBefore(id, n)) return CHUNK_EARLY;
  return batch.write().content.appendChunk(id, n, bytes) ? DONE : UPLOAD_LOST;
}

/** Damaged content fails this ask only. */
function readContent(
  store: ShardStore,
  { id, from, to }: Extract<ShardCommand, { kind: 'content.read' }>,
  onError: (error: unknown) => void,
): Outcome {
  try {
    return { ok: true, value: Buffer.concat(store.content.read(id, from, to)) };
  } catch (error) {
    onError(error);
    return { ok: false, error: INTERNAL_ERROR };
  }
}

/** The board with this id if the user is a member of it, else the refusal. `board` is null if it does not exist. */
function boardOfMember(board: BoardState | null, id: Uuid, user: Uuid): BoardState | AppError {
  if (board?.get('board', id) === undefined) return notFound('board');
  return board.get('member', user) === undefined ? notMember() : board;
}
