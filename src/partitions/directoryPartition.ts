/** The directory as a partition: a batch of commands is one commit, and changed users are published. */
import type { DirectoryCommand } from '../domain/commands/directoryCommands.js';
import type { PublicUser } from '../domain/user.js';
import type { Notice, Outcome } from './messages.js';
import { CommitStats } from './partitionStats.js';
import type { Partition } from './threadServer.js';

export interface DirectoryStore {
  /** One outcome for each command, in order, all of them on disk. */
  run(commands: readonly DirectoryCommand[]): ReadonlyArray<Outcome & { readonly changed?: PublicUser }>;
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  close(): void;
}

export function directoryPartition(store: DirectoryStore): Partition {
  const stats = new CommitStats();
  return {
    take(asks, done) {
      const startedAt = performance.now();
      const outcomes = store.run(asks.map(({ command }) => command as DirectoryCommand));
      stats.count((performance.now() - startedAt) / 1000, asks.length);
      const notices: Notice[] = [];
      const replies = outcomes.map(({ changed, ...outcome }, index) => {
        if (changed !== undefined) notices.push({ kind: 'user.changed', user: changed });
        return { id: asks[index]?.id ?? 0, outcome };
      });
      done({ replies, notices });
    },
    stats: () => ({ ...stats.data, activeBoards: 0, boardBytes: 0 }),
    probe: () => store.probe(),
    close: () => store.close(),
  };
}
