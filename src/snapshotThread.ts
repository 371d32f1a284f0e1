/** Composition root of a thread that takes or fetches one snapshot. */
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from './domain/errors.js';
import type { SnapshotManifest } from './log/snapshotManifest.js';
import { fetchSnapshot } from './replication/fetchSnapshot.js';
import { withLogServer } from './replication/logServer.js';
import type { SnapshotWork, WorkResult } from './replication/snapshotWork.js';
import { takeSnapshot } from './replication/takeSnapshot.js';
import { Seal } from './wire/sealing.js';

async function carryOut(work: SnapshotWork): Promise<SnapshotManifest> {
  const seal = new Seal(Buffer.from(work.secret));
  return withLogServer(work.urls, (server) =>
    work.kind === 'take' ? takeSnapshot({ ...work, server, seal }) : fetchSnapshot({ ...work, server, seal }),
  );
}

async function run(work: SnapshotWork): Promise<WorkResult> {
  try {
    return { ok: true, manifest: await carryOut(work) };
  } catch (error) {
    const known = error instanceof AppError ? error : new AppError('unavailable', String(error));
    return { ok: false, error: known.toData() };
  }
}

void run(workerData as SnapshotWork).then((result) => parentPort?.postMessage(result));
