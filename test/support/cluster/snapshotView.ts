/** What tests see of snapshots and copies. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { requireLog } from '../../../src/log/clusterStreams.js';
import { JetStream } from '../../../src/log/jetStream.js';
import { boundsOf } from '../../../src/log/jetStreamLog.js';
import type { LogBounds } from '../../../src/log/logStream.js';
import { patiently } from '../../../src/log/patience.js';
import type { SnapshotManifest } from '../../../src/log/snapshotManifest.js';
import { SnapshotStream } from '../../../src/log/snapshotStream.js';
import type { PartitionName } from '../../../src/partitions/messages.js';
import { partitionFile } from '../../../src/replication/partitionFile.js';
import { readFileState, type FileState } from '../../../src/store/snapshot/copyFile.js';
import { type Machines } from './machines.js';
import { until } from '../until.js';

/** How long copies may take for a commit, before another one is tried. */
const COMMIT_MS = 2_000;
const POLL_MS = 25;

export class SnapshotView {
  readonly server: JetStream;
  readonly #machines: Machines;
  readonly #prefix: string;

  constructor(t: Test, machines: Machines, prefix = 'boards') {
    this.#machines = machines;
    this.#prefix = prefix;
    this.server = new JetStream({ urls: machines.nats.urls, name: 'test', onError: (error) => t.comment(String(error)) });
    t.teardown(() => this.server.close());
  }

  stream(partition: PartitionName): SnapshotStream {
    return new SnapshotStream(this.server, this.#prefix, partition);
  }

  /** The newest first. */
  async manifests(partition: PartitionName): Promise<SnapshotManifest[]> {
    return (await this.stream(partition).list()).map((listed) => {
      if (!listed.isReadable) throw new Error(listed.reason);
      return listed.manifest;
    });
  }

  async bounds(partition: PartitionName): Promise<LogBounds> {
    return boundsOf((await requireLog(this.server, this.#prefix, partition)).info);
  }

  /** The subjects of all chunks. */
  async chunkSubjects(): Promise<string[]> {
    const question = { subjects_filter: `${this.#prefix}.snapshot.*.chunk.>` };
    const { state } = await patiently(() =>
      this.server.call<{ state: { subjects?: Record<string, number> } }>(`STREAM.INFO.${this.#prefix}-snapshots`, question),
    );
    return Object.keys(state.subjects ?? {});
  }

  fileState(machine: number, partition: PartitionName): FileState {
    const { path, kind } = partitionFile(this.#machines.machine(machine).dataDir, partition);
    return readFileState(path, kind);
  }

  /** Another one after the file was replaced. */
  inode(machine: number, partition: PartitionName): number {
    return statSync(partitionFile(this.#machines.machine(machine).dataDir, partition).path).ino;
  }

  filesOf(machine: number): string[] {
    return readdirSync(join(this.#machines.machine(machine).dataDir));
  }

  /** Resolves when the files of these machines have the same commits. */
  untilCaughtUp(machines: readonly number[], partition: PartitionName): Promise<unknown> {
    return until(async () => new Set(machines.map((machine) => this.fileState(machine, partition).commits)).size === 1);
  }

  /** Resolves when the files of these machines are at one record, with their states there. `write` adds a commit. */
  async untilEqual(machines: readonly number[], partition: PartitionName, write: () => Promise<unknown>): Promise<FileState[]> {
    return until(async () => {
      // An owner stores its place with a commit only, so another record after it leaves the files at different places.
      await write();
      for (const end = performance.now() + COMMIT_MS; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, POLL_MS))) {
        const states = machines.flatMap((machine) => this.#stateIfAny(machine, partition) ?? []);
        const places = new Set(states.map(({ followed }) => followed.position.applied));
        if (states.length === machines.length && places.size === 1) return states;
      }
      return null;
    });
  }

  /** Null if the machine has nothing yet. */
  #stateIfAny(machine: number, partition: PartitionName): FileState | null {
    try {
      return this.fileState(machine, partition);
    } catch {
      return null;
    }
  }
}
