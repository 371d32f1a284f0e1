/** Composition root of a store thread: which stations there are and what they are made of. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { serveStations, type OpenStation } from './actors/stations.js';
import type { DirectoryCommand } from './domain/directoryCommands.js';
import type { Durability } from './store/database.js';
import { openDirectory, type DirectoryOutcome } from './store/directory.js';

export interface StoreThreadData {
  readonly dataDir: string;
  readonly durability: Durability;
}

export function stationOpener({ dataDir, durability }: StoreThreadData): OpenStation {
  return (_name, onError) => {
    const directory = openDirectory({ dataDir, durability, onError });
    return {
      settle(commands) {
        const outcomes = directory.run(commands as readonly DirectoryCommand[]);
        return { outcomes, notices: outcomes.flatMap(changedUser) };
      },
      close: () => directory.close(),
    };
  };
}

function changedUser(outcome: DirectoryOutcome): { kind: 'user.changed'; user: NonNullable<Changed> }[] {
  return outcome.ok && outcome.changed !== undefined ? [{ kind: 'user.changed', user: outcome.changed }] : [];
}
type Changed = (DirectoryOutcome & { ok: true })['changed'];

if (!isMainThread && parentPort !== null) serveStations(parentPort, stationOpener(workerData as StoreThreadData));
