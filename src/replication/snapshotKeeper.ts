/** Takes the snapshots that are the duty of this instance, when a log has become long, and those that an operator asks for. */
import type { Logger } from 'pino';
import { MAX_LOG_BYTES, requireLog } from '../log/clusterStreams.js';
import { JetStream } from '../log/jetStream.js';
import { boundsOf } from '../log/jetStreamLog.js';
import type { SnapshotManifest } from '../log/snapshotManifest.js';
import { SnapshotStream } from '../log/snapshotStream.js';
import type { PartitionName } from '../partitions/messages.js';
import { removeUnfinishedSnapshots } from '../store/folder/snapshotFiles.js';
import type { ReplicationSettings } from './replicationSettings.js';
import { SnapshotWorker } from './snapshotWork.js';
import { snapshotsOf } from './takeSnapshot.js';

/** How often the lengths of logs are looked at, and whether their snapshots can be used. */
const CHECK_MS = 5_000;

export interface SnapshotKeeperOptions {
  readonly settings: ReplicationSettings;
  readonly partitions: readonly PartitionName[];
  /** The size of a log since its last snapshot that calls for a new one. */
  readonly logBytes: number;
  /** The ids of all living instances. */
  readonly living: () => readonly string[];
  readonly isDuty: (partition: PartitionName) => boolean;
  /** Has the file of a copy say how far it has followed its log. A snapshot of it is usable up to there only. */
  readonly storePosition: (partition: PartitionName) => Promise<void>;
  readonly log: Logger;
}

export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions;
  readonly #server: JetStream;
  readonly #worker = new SnapshotWorker();
  readonly #timer: NodeJS.Timeout;
  /** The last record of the newest known snapshot of each partition. */
  readonly #newest = new Map<PartitionName, number>();
  #isChecking = false;
  #isClosed = false;

  constructor(options: SnapshotKeeperOptions) {
    const { settings, log } = options;
    this.#options = options;
    this.#server = new JetStream({
      urls: settings.urls,
      name: `switchboard snapshots ${settings.instance}`,
      onError: (error) => log.warn({ err: error }, 'an error in the connection for snapshots'),
    });
    this.#timer = setInterval(() => void this.#check(), CHECK_MS);
  }

  /** The newest snapshot, which was there already if nothing has changed since. */
  async take(partition: PartitionName): Promise<SnapshotManifest> {
    const { settings, living, log, storePosition } = this.#options;
    const { urls, secret, prefix, dataDir, instance } = settings;
    await storePosition(partition);
    const manifest = await this.#worker.run({ kind: 'take', urls, secret, prefix, dataDir, instance, partition, living: living() });
    log.info({ partition, record: manifest.seq, bytes: manifest.bytes }, 'a snapshot is stored');
    this.#newest.set(partition, manifest.seq);
    return manifest;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#worker.close();
    removeUnfinishedSnapshots(this.#options.settings.dataDir);
    await this.#server.close();
  }

  /** One round at a time. A failure waits for the next one: nothing is purged without a snapshot. */
  async #check(): Promise<void> {
    if (this.#isChecking || !this.#server.isConnected) return;
    this.#isChecking = true;
    const { partitions, isDuty, log } = this.#options;
    for (const partition of partitions) {
      if (this.#isClosed || !isDuty(partition)) continue;
      try {
        if (await this.#isDue(partition)) await this.take(partition);
      } catch (error) {
        if (!this.#isClosed) log.warn({ err: error, partition }, 'no snapshot could be taken');
      }
    }
    this.#isChecking = false;
  }

  /** The size since the last snapshot is estimated by the share of its records. */
  async #isDue(partition: PartitionName): Promise<boolean> {
    const { settings, logBytes } = this.#options;
    const { prefix } = settings;
    const { identity, info } = await requireLog(this.#server, prefix, partition);
    const { bytes } = info.state;
    const { first, last } = boundsOf(info);
    // Nothing but a snapshot can replace what the log no longer has.
    const isUsable = first <= (this.#newest.get(partition) ?? 0) + 1;
    if (bytes <= logBytes && isUsable) return false;
    const [newest] = snapshotsOf(await new SnapshotStream(this.#server, prefix, partition).list(), identity);
    if (newest === undefined) return true;
    this.#newest.set(partition, newest.seq);
    if (first > newest.seq + 1) return true;
    if (bytes <= logBytes) return false;
    const share = (last - newest.seq) / (last - first + 1);
    // Two such intervals are kept, and a full log would refuse writes.
    return bytes * share > Math.min(Math.max(logBytes, newest.bytes), MAX_LOG_BYTES / 4);
  }
}
