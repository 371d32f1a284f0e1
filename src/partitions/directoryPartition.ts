/**
 * The directory as a partition: a batch of commands is one commit, changed users are published, and so are the entries
 * of its outbox.
 */
import type { DirectoryCommand, PendingProfile } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { PublicUser } from '../domain/user.js';
import type { EntryOf, Notice, Outcome, OutboxPage } from './messages.js';
import { toOutboxPage } from './outboxPage.js';
import { CommitStats } from './partitionStats.js';
import type { Partition, PartitionHost } from './threadServer.js';

export interface DirectoryStore {
  /** One outcome for each command, in order, all of them on disk. */
  run(commands: readonly DirectoryCommand[]): readonly DirectoryOutcome[];
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  close(): void;
}

type DirectoryOutcome = Outcome & {
  readonly changed?: PublicUser;
  /** New entries of the outbox. */
  readonly added?: readonly PendingProfile[];
  readonly undelivered?: Undelivered;
};

/** The first rows of the outbox after the id `after`. */
interface Undelivered {
  readonly after: number;
  readonly rows: ReadonlyArray<{ readonly id: number; readonly user: PublicUser | null }>;
}

/** Throws if the undelivered entries cannot be read. */
export function directoryPartition(store: DirectoryStore, host: Pick<PartitionHost, 'publish'>): Partition {
  const stats = new CommitStats();
  publishUndelivered(store, host);
  return {
    take(asks, done) {
      const startedAt = performance.now();
      const outcomes = store.run(asks.map(({ command }) => command as DirectoryCommand));
      stats.count((performance.now() - startedAt) / 1000, asks.length);
      const notices: Notice[] = [];
      const replies = outcomes.map(({ changed, added, undelivered, ...outcome }, index) => {
        if (changed !== undefined) notices.push({ kind: 'user.changed', user: changed });
        for (const { id, user } of added ?? []) notices.push({ kind: 'outbox', entry: toEntry(id, user) });
        if (undelivered !== undefined) notices.push(toPage(undelivered));
        return { id: asks[index]?.id ?? 0, outcome };
      });
      done({ replies, notices });
    },
    stats: () => ({ ...stats.data, activeBoards: 0, boardBytes: 0 }),
    probe: () => store.probe(),
    close: () => store.close(),
  };
}

function publishUndelivered(store: DirectoryStore, host: Pick<PartitionHost, 'publish'>): void {
  const [outcome] = store.run([{ op: 'outbox.push', input: { after: 0 } }]);
  if (outcome?.ok === false) throw AppError.from(outcome.error);
  if (outcome?.undelivered !== undefined) host.publish([toPage(outcome.undelivered)]);
}

function toPage({ after, rows }: Undelivered): OutboxPage {
  return toOutboxPage('directory', after, rows, ({ id, user }) => user && toEntry(id, user));
}

/** The boards of one user are one target: they get the latest profile, one after another. */
function toEntry(id: number, user: PublicUser): EntryOf<'profile'> {
  return { source: 'directory', id, kind: 'profile', target: user.id, payload: { user } };
}
