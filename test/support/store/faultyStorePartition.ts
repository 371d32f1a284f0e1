/**
 * A shard partition on a real file, asked directly: the test sees its answers, notices and log, and controls its clock.
 */
import type { Test } from 'tap';
import type { Ask, BoardReply, Notice, Outcome, ShardCommand } from '../../../src/partitions/messages.js';
import { openShardPartition, type Retention } from '../../../src/shard/shardPartition.js';
import type { DeposablePartition, Settlement } from '../../../src/partitions/runtime/partition.js';
import { textOf } from '../../../src/domain/ports/boardsPort.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../../../src/domain/commands/commands.js';
import type { BoardOutcome } from '../../../src/domain/commands/decide.js';
import { AppError } from '../../../src/domain/errors.js';
import { isLarge, type BoardEvent } from '../../../src/domain/events.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import type { ShardCommit } from '../../../src/domain/ports/shardCommit.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { BoardMemory } from '../../../src/shard/boards/boardMemory.js';
import { openShard } from '../../../src/store/shard/openShard.js';
import { DEFAULT_LIMITS } from '../board/boardLimits.js';
import { FaultyStore } from './faultyStore.js';
import { publicUser } from '../publicUser.js';

export interface PartitionSettings {
  readonly budgetBytes?: number;
  readonly idleSeconds?: number;
  readonly retention?: Retention;
  readonly durability?: 'full' | 'normal';
  /** Gets every commit of the shard's file. */
  readonly onCommit?: (commit: ShardCommit) => void;
  /** The monotonic clock of the partition, in milliseconds. */
  readonly monotonic?: () => number;
  /** Of the oldest program that runs. */
  readonly schema?: number;
}

export const ids = new IdSource();
export const ann = publicUser('ann', { id: ids.fresh() });
export const ben = publicUser('ben', { id: ids.fresh() });
export const cleo = publicUser('cleo', { id: ids.fresh() });

const NOBODYS_BOARD = ids.fresh();

/** A command as the API would send it for this user. */
export function command<Op extends BoardOperation>(op: Op, target: Uuid, input: BoardCommands[Op], user: PublicUser = ann): BoardCommand<Op> {
  return { op, target, input, caller: { user_id: user.id } };
}

export class TestPartition {
  /** In the order of publishing. */
  readonly notices: Notice[] = [];
  /** The numbers of the asks in the order of their replies; asks are numbered from 1. */
  readonly replied: number[] = [];
  readonly errors: unknown[] = [];
  /** What was reported when the partition was deposed, in order. */
  readonly deposed: unknown[] = [];
  readonly dataDir: string;
  readonly #settings: PartitionSettings;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #time = Date.UTC(2030, 0, 1);
  #lastAsk = 0;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #opened: { readonly store: FaultyStore; readonly partition: DeposablePartition };

  constructor(t: Test, settings: PartitionSettings = {}) {
    this.dataDir = t.testdir();
    this.#settings = settings;
    this.#opened = this.#open();
    t.teardown(() => this.close());
  }

  get store(): FaultyStore {
    return this.#opened.store;
  }

  /** As one batch. An ask that does not wait for a load is settled when this returns. */
  send(commands: readonly ShardCommand[]): Promise<Outcome[]> {
    const asks = commands.map((command): Ask => ({ id: (this.#lastAsk += 1), partition: 'shard 0', command }));
    const outcomes = asks.map(({ id }) => new Promise<Outcome>((resolve) => this.#waiting.set(id, resolve)));
    this.#opened.partition.take(asks, (settlement) => this.#settled(settlement));
    return Promise.all(outcomes);
  }

  /** Board commands as one batch. */
  async askAll(commands: readonly BoardCommand[]): Promise<BoardOutcome[]> {
    const outcomes = await this.send(commands.map((command) => ({ kind: 'board', command })));
    return outcomes.map(toBoardOutcome);
  }

  async ask<Op extends BoardOperation>(op: Op, target: Uuid, input: BoardCommands[Op], user?: PublicUser): Promise<BoardOutcome> {
    const [outcome] = await this.askAll([command(op, target, input, user)]);
    if (outcome === undefined) throw new Error('an ask was not answered');
    return outcome;
  }

  /** The answer's body; a refusal is a fault of the test. */
  async must<Op extends BoardOperation>(op: Op, target: Uuid, input: BoardCommands[Op], user?: PublicUser): Promise<{ readonly id: Uuid }> {
    return JSON.parse(bodyOf(await this.ask(op, target, input, user)) || '{"id":""}') as { id: Uuid };
  }

  async newBoard(title = 'Plans', creator: PublicUser = ann): Promise<Uuid> {
    return (await this.must('board.create', ids.fresh(), { title, description: null, creator }, creator)).id;
  }

  async newColumn(board: Uuid, title = 'To do'): Promise<Uuid> {
    const fields = { title, color: '#fff', is_done_column: false, position: null };
    return (await this.must('column.create', board, fields)).id;
  }

  /** The full board as JSON, with its number and rules: everything that a client can read. */
  async look(board: Uuid, user?: PublicUser): Promise<string> {
    const [full, rules] = [await this.ask('board.get', board, {}, user), await this.ask('rule.list', board, {}, user)];
    return `${full.ok ? full.position : ''} ${bodyOf(full)} ${bodyOf(rules)}`;
  }

  /** The same after the board has left memory. Fails if it has not, because then it would prove nothing. */
  async lookAtDisk(board: Uuid, user?: PublicUser): Promise<string> {
    await this.sleep();
    this.store.countOf('readBoard');
    const seen = await this.look(board, user);
    if (this.store.countOf('readBoard') === 0) throw new Error('the board was still in memory');
    return seen;
  }

  /** Advances the clock until every board is idle, and commits, so that all of them leave memory. */
  async sleep(): Promise<void> {
    this.passTime(((this.#settings.idleSeconds ?? 300) + 1) * 1000);
    await this.ask('board.get', NOBODYS_BOARD, {});
  }

  /** Of its clock, in milliseconds since the epoch. */
  get time(): number {
    return this.#time;
  }

  passTime(milliseconds: number): void {
    this.#time += milliseconds;
  }

  eventsOf(board: Uuid): BoardEvent[] {
    const events = this.notices.flatMap((notice) => (notice.kind === 'board.events' && notice.board_id === board ? notice.events : []));
    return events.filter((event): event is BoardEvent => !isLarge(event));
  }

  restart(): void {
    if (!this.close()) throw new Error('the partition waits for a commit');
    this.#opened = this.#open();
  }

  /** True if it is closed already. Harmless if it is closed or deposed. */
  close(closed: () => void = () => undefined): boolean {
    const { partition } = this.#opened;
    if (this.#state === 'open') {
      this.#state = 'closing';
      partition.close(() => {
        this.#state = 'closed';
        closed();
      });
    }
    return this.#state === 'closed';
  }

  #open(): { store: FaultyStore; partition: DeposablePartition } {
    const { budgetBytes = 1e9, idleSeconds = 300, retention = { events: 10_000, days: 7 } } = this.#settings;
    const { durability = 'normal', monotonic = () => 0, onCommit, schema } = this.#settings;
    const store = new FaultyStore(
      openShard({ dataDir: this.dataDir, shard: 0, shards: 1, durability, ...(onCommit === undefined ? {} : { onCommit }) }),
    );
    this.#state = 'open';
    const partition = openShardPartition(
      {
        name: 'shard 0',
        store,
        memory: new BoardMemory(budgetBytes),
        idleSeconds,
        retention,
        limits: DEFAULT_LIMITS,
        presenceSeconds: 60,
        onDeposed: (error) => {
          this.deposed.push(error, `after ${this.replied.length} replies`);
          store.close();
        },
        now: () => this.#now(),
        monotonic,
        ...(schema === undefined ? {} : { schema }),
      },
      {
        onError: (error) => this.errors.push(error),
        publish: (notices) => this.notices.push(...notices),
        later: setImmediate,
        endTurn: () => undefined,
        deposed: () => {
          this.#state = 'closed';
          this.deposed.push('host');
        },
        isTurnOver: () => false,
      },
    );
    return { store, partition };
  }

  #settled({ replies, notices }: Settlement): void {
    this.notices.push(...notices);
    for (const { id, outcome } of replies) {
      const resolve = this.#waiting.get(id);
      if (resolve === undefined) throw new Error(`ask ${id} was answered twice or never sent`);
      this.#waiting.delete(id);
      this.replied.push(id);
      resolve(outcome);
    }
  }

  /** Rises with every call, so that later records have later timestamps. */
  #now(): Date {
    this.#time += 1;
    return new Date(this.#time);
  }
}

/** Throws if the command was refused. */
export function bodyOf(outcome: BoardOutcome): string {
  if (!outcome.ok) throw AppError.from(outcome.error);
  return textOf(outcome) ?? '';
}

/** The reply to a board command, whether it was refused by the board or by the partition. */
export function toBoardOutcome(outcome: Outcome): BoardOutcome {
  return outcome.ok ? (outcome.value as BoardReply).outcome : outcome;
}
