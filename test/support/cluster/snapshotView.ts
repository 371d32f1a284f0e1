/** What tests see of snapshots and copies. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { JetStream } from '../../../src/log/jetStream.js';
import { JetStreamLog } from '../../../src/log/jetStreamLog.js';
import type { LogBounds } from '../../../src/log/logStream.js';
import { logNames } from '../../../src/log/logNames.js';
import type { SnapshotManifest } from '../../../src/log/snapshotManifest.js';
import { SnapshotStream } from '../../../src/log/snapshotStream.js';
import type { PartitionName } from '../../../src/partitions/messages.js';
import { partitionFile } from '../../../src/replication/partitionFile.js';
import { readFileState, type FileState } from '../../../src/store/snapshot/copyFile.js';
import { until, type Machines } from './machines.js';

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

  bounds(partition: PartitionName): Promise<LogBounds> {
    return new JetStreamLog(this.server, logNames(this.#prefix, partition)).bounds();
  }

  /** The subjects of all chunks. */
  async chunkSubjects(): Promise<string[]> {
    const { state } = await this.server.call<{ state: { subjects?: Record<string, number> } }>(
      `STREAM.INFO.${this.#prefix}-snapshots`,
      { subjects_filter: `${this.#prefix}.snapshot.*.chunk.>` },
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

  /** Resolves when the files of these machines are at one record, with their states there. `write` adds a record. */
  async untilEqual(machines: readonly number[], partition: PartitionName, write: () => Promise<unknown>): Promise<FileState[]> {
    return until(async () => {
      await write();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const states = machines.map((machine) => {
        try {
          return this.fileState(machine, partition);
        } catch {
          // It has nothing yet.
          return null;
        }
      });
      const [first] = states;
      const isEqual = states.every((state) => state !== null && state.followed.position.applied === first?.followed.position.applied);
      return isEqual ? (states as FileState[]) : null;
    });
  }
}
