/**
 * The directory as a partition: a batch of commands is one commit, changed users are published, and so are the entries
 * of its outbox. While a batch is under way, asks wait; all that wait are the next batch.
 */
import type { BoardListChange, DirectoryCommand, PendingProfile } from '../../domain/commands/directoryCommands.js';
import { Deposed } from '../../domain/errors.js';
import type { SessionMessage } from '../../domain/account/session.js';
import type { PublicUser } from '../../domain/account/user.js';
import type { Ask, EntryOf, Notice, Outcome, OutboxPage, Reply } from '../messages.js';
import { toOutboxPage } from './outboxPage.js';
import { CommitStats, type PartitionStats } from '../health/partitionStats.js';
import { notOpen, outcomeOf, refuseAll, type DeposablePartition, type PartitionHost, type Settlement } from './threadServer.js';

export interface DirectoryStore {
  /**
   * Calls `settled` once, now or later, with one result for each command, in order: an outcome that is stored; or, if
   * this process no longer owns the directory, whether a command without an outcome has written. Never throws. Until
   * then nothing else may be run.
   */
  run(
    commands: readonly DirectoryCommand[],
    settled: (results: ReadonlyArray<DirectoryOutcome | 'read' | 'written'>, deposed: Deposed | null) => void,
  ): void;
  /** The first rows of the outbox after this id. */
  undelivered(after: number): Undelivered;
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  close(): void;
}

type DirectoryOutcome = Outcome & {
  readonly changed?: PublicUser;
  /** New entries of the outbox. */
  readonly added?: readonly PendingProfile[];
  /** Boards that users joined or left. */
  readonly lists?: readonly BoardListChange[];
  readonly sessions?: SessionMessage;
  readonly undelivered?: Undelivered;
};

/** The first rows of the outbox after the id `after`. */
interface Undelivered {
  readonly after: number;
  readonly rows: ReadonlyArray<{ readonly id: number; readonly user: PublicUser | null }>;
}

export interface DirectoryPartitionOptions {
  readonly store: DirectoryStore;
  /** The process no longer owns the directory. Called before `host.deposed`; closes the store. */
  readonly onDeposed: (error: Deposed) => void;
}

const NAME = 'directory';

export class DirectoryPartition implements DeposablePartition {
  readonly #options: DirectoryPartitionOptions;
  readonly #host: Pick<PartitionHost, 'publish' | 'deposed' | 'onError'>;
  readonly #stats = new CommitStats();
  #waiting: Ask[] = [];
  /** Sends a settlement. */
  #done: (settlement: Settlement) => void = () => undefined;
  #closed: () => void = () => undefined;
  #state: 'open' | 'closing' | 'closed' | 'deposed' = 'open';
  #isRunning = false;

  /** Throws if the undelivered entries cannot be read. */
  constructor(options: DirectoryPartitionOptions, host: Pick<PartitionHost, 'publish' | 'deposed' | 'onError'>) {
    this.#options = options;
    this.#host = host;
    host.publish([toPage(options.store.undelivered(0))]);
  }

  take(asks: readonly Ask[], done: (settlement: Settlement) => void): void {
    if (this.#state !== 'open') return done(refuseAll(asks, notOpen(NAME)));
    this.#done = done;
    this.#waiting.push(...asks);
    this.#work();
  }

  stats(): PartitionStats {
    return { ...this.#stats.data, activeBoards: 0, boardBytes: 0 };
  }

  probe(): 'works' | 'busy' {
    if (this.#isRunning) return 'busy';
    this.#options.store.probe();
    return 'works';
  }

  close(closed: () => void): void {
    this.#state = 'closing';
    this.#closed = closed;
    this.#work();
  }

  depose(): void {
    const isOver = this.#state === 'closed' || this.#state === 'deposed';
    if (!isOver && !this.#isRunning) this.#depose(new Deposed('no'));
  }

  /** Runs all that waits as one batch, unless one is under way. */
  #work(): void {
    if (this.#isRunning) return;
    const asks = this.#waiting;
    if (asks.length === 0) return this.#state === 'closing' ? this.#finishClosing() : undefined;
    this.#waiting = [];
    this.#isRunning = true;
    const startedAt = performance.now();
    this.#options.store.run(
      asks.map(({ command }) => command as DirectoryCommand),
      (results, deposed) => {
        this.#isRunning = false;
        this.#stats.count((performance.now() - startedAt) / 1000, asks.length);
        this.#done(toSettlement(asks, results, deposed));
        if (deposed === null) this.#work();
        else this.#depose(deposed);
      },
    );
  }

  #finishClosing(): void {
    this.#state = 'closed';
    this.#options.store.close();
    this.#closed();
  }

  #depose(error: Deposed): void {
    this.#state = 'deposed';
    this.#done(refuseAll(this.#waiting.splice(0), notOpen(NAME)));
    try {
      this.#options.onDeposed(error);
    } catch (fault) {
      this.#host.onError(fault);
    }
    this.#host.deposed();
    this.#closed();
  }
}

function toSettlement(asks: readonly Ask[], results: ReadonlyArray<DirectoryOutcome | 'read' | 'written'>, deposed: Deposed | null): Settlement {
  const notices: Notice[] = [];
  const outcomeOfWrite = deposed === null ? notOpen(NAME) : outcomeOf(deposed, NAME);
  const replies = results.map((result, index): Reply => {
    const id = asks[index]?.id ?? 0;
    if (result === 'read') return { id, outcome: notOpen(NAME) };
    if (result === 'written') return { id, outcome: outcomeOfWrite };
    const { changed, added, lists, sessions, undelivered, ...outcome } = result;
    if (changed !== undefined) notices.push({ kind: 'user.changed', user: changed });
    if (sessions !== undefined) notices.push({ kind: 'sessions', message: sessions });
    for (const { id, user } of added ?? []) notices.push({ kind: 'outbox', entry: toEntry(id, user) });
    if (lists !== undefined) notices.push({ kind: 'memberships', changes: lists });
    if (undelivered !== undefined) notices.push(toPage(undelivered));
    return { id, outcome };
  });
  return { replies, notices };
}

function toPage({ after, rows }: Undelivered): OutboxPage {
  return toOutboxPage('directory', after, rows, ({ id, user }) => user && toEntry(id, user));
}

/** The boards of one user are one target: they get the latest profile, one after another. */
function toEntry(id: number, user: PublicUser): EntryOf<'profile'> {
  return { source: 'directory', id, kind: 'profile', target: user.id, payload: { user } };
}
