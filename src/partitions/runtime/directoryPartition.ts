/** The directory: its commands are decided over the rows of its file. What they changed for others is published. */
import type { DirectoryCommand } from '../../domain/commands/directoryCommands.js';
import type { PublicUser } from '../../domain/account/user.js';
import { AuditRetention } from '../../domain/directory/auditRetention.js';
import { decideDirectory, DIRECTORY_EFFECTS } from '../../domain/directory/decide.js';
import type { DirectoryAnswer } from '../../domain/directory/handler.js';
import type { DirectoryRows } from '../../domain/directory/rows.js';
import { AppError, INTERNAL_ERROR, NotStored } from '../../domain/errors.js';
import type { Ask, EntryOf, Notice, Outcome, OutboxPage } from '../messages.js';
import type { HeldStats } from '../health/partitionStats.js';
import type { Batch, PartitionStore } from './commits.js';
import { toOutboxPage } from './outboxPage.js';
import type { DeposablePartition, PartitionHost } from './partition.js';
import { PartitionRuntime, type PartitionLogic, type PartitionRuntimeOptions } from './partitionRuntime.js';

export interface DirectoryStore extends PartitionStore {
  /** The number of writes in the open transaction. */
  readonly written: number;
  /**
   * Runs `decide` over the rows, in the transaction if there is one. If it throws, what it wrote is undone. Throws
   * `NotStored` if the transaction or the file cannot be used any further.
   */
  attempt<Input, Answer>(decide: (rows: DirectoryRows, input: Input) => Answer, input: Input): Answer;
}

type DirectoryPartitionOptions = Omit<PartitionRuntimeOptions<DirectoryStore>, 'name'>;

type Undelivered = NonNullable<DirectoryAnswer<unknown>['undelivered']>;

/** Commands are carried out in the order in which they came, for all users together. */
const ONE_QUEUE = '';
const NOTHING_HELD: HeldStats = { activeBoards: 0, boardBytes: 0, pausedWebhooks: 0 };
const FIRST_PAGE: DirectoryCommand = { op: 'outbox.push', input: { after: 0 } };

/** Throws if the undelivered entries cannot be read. */
export function openDirectoryPartition(options: DirectoryPartitionOptions, host: PartitionHost): DeposablePartition {
  return new PartitionRuntime({ ...options, name: 'directory' }, host, () => new DirectoryLogic(options.store, host));
}

class DirectoryLogic implements PartitionLogic<DirectoryStore> {
  readonly held = NOTHING_HELD;
  readonly #store: DirectoryStore;
  readonly #host: Pick<PartitionHost, 'onError'>;
  readonly #audit = new AuditRetention();
  readonly #decide = (rows: DirectoryRows, command: DirectoryCommand): DirectoryAnswer<unknown> => decideDirectory(rows, command, this.#audit);

  constructor(store: DirectoryStore, host: Pick<PartitionHost, 'onError' | 'publish'>) {
    this.#store = store;
    this.#host = host;
    host.publish(noticesOf(store.attempt(this.#decide, FIRST_PAGE)));
  }

  keyOf(): string {
    return ONE_QUEUE;
  }

  /** Reads alone need no transaction: while it has its lock, the file has no other writer. */
  perform(ask: Ask, batch: Batch<DirectoryStore>): Outcome {
    const command = ask.command as DirectoryCommand;
    const store = mayWrite(command) ? batch.begin() : this.#store;
    const before = store.written;
    let answer: DirectoryAnswer<unknown>;
    try {
      answer = store.attempt(this.#decide, command);
    } catch (error) {
      if (error instanceof NotStored) throw error;
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      // A fault in a handler. What it wrote is undone, so the rest of the batch is not affected.
      this.#host.onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    }
    if (store.written > before) batch.noteWritten();
    batch.notices.push(...noticesOf(answer));
    return { ok: true, value: answer.value };
  }
}

function mayWrite({ op, audit }: DirectoryCommand): boolean {
  return audit !== undefined || DIRECTORY_EFFECTS[op] !== 'read';
}

function noticesOf({ changed, sessions, added, lists, messages, undelivered }: DirectoryAnswer<unknown>): Notice[] {
  const notices: Notice[] = [];
  if (changed !== undefined) notices.push({ kind: 'user.changed', user: changed });
  if (sessions !== undefined) notices.push({ kind: 'sessions', message: sessions });
  for (const { id, user } of added ?? []) notices.push({ kind: 'outbox', entry: toEntry(id, user) });
  if (lists !== undefined) notices.push({ kind: 'memberships', changes: lists });
  if (messages !== undefined) notices.push({ kind: 'notifications', messages });
  if (undelivered !== undefined) notices.push(toPage(undelivered));
  return notices;
}

function toPage({ after, rows }: Undelivered): OutboxPage {
  return toOutboxPage('directory', after, rows, ({ id, user }) => user && toEntry(id, user));
}

/** The boards of one user are one target: they get the latest profile, one after another. */
function toEntry(id: number, user: PublicUser): EntryOf<'profile'> {
  return { source: 'directory', id, kind: 'profile', target: user.id, payload: { user } };
}
