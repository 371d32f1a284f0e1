/** The stations that this process owns, and the threads they live in. */
import type { Uuid } from '../domain/ids.js';
import { notServed, type Asking } from './askPort.js';
import type { StationCommand, StationName } from './messages.js';
import { RememberedAnswers } from './rememberedAnswers.js';
import type { ThreadStats } from './partitionStats.js';
import type { StoreThread } from './threadClient.js';

export class LocalStations implements Asking {
  readonly #directoryThread: StoreThread;
  readonly #shardThreads: readonly StoreThread[];
  readonly #threads = new Map<StationName, StoreThread>();
  readonly #owned = new Set<StationName>();
  readonly #opening = new Set<StationName>();
  readonly #answers = new RememberedAnswers();

  constructor(directoryThread: StoreThread, shardThreads: readonly StoreThread[]) {
    this.#directoryThread = directoryThread;
    this.#shardThreads = shardThreads;
  }

  get owned(): ReadonlySet<StationName> {
    return this.#owned;
  }

  owns(station: StationName): boolean {
    return this.#owned.has(station);
  }

  /** Rejects with `NotServedHere` when another process holds its lock. */
  async open(station: StationName): Promise<void> {
    this.#opening.add(station);
    try {
      await this.#threadOf(station).open(station);
      this.#owned.add(station);
    } finally {
      this.#opening.delete(station);
    }
  }

  /** Finishes what was asked so far, closes the file and lets go of its lock. */
  async release(station: StationName): Promise<void> {
    this.#owned.delete(station);
    this.#answers.forgetStation(station);
    await this.#threadOf(station).release(station);
  }

  /** Of every thread, that of the directory first. */
  stats(): Promise<ThreadStats[]> {
    return Promise.all([this.#directoryThread, ...this.#shardThreads].map((thread) => thread.stats()));
  }

  ask(station: StationName, command: StationCommand): Promise<unknown> {
    // A shard tells its old news while it is being opened: whoever confirms it may be quicker than we are.
    if (!this.#owned.has(station) && !this.#opening.has(station)) return Promise.reject(notServed(station));
    return this.#answers.answer(station, command, () => this.#threadOf(station).ask(station, command));
  }

  /** To be called for every change of a board here, before anyone else is told of it. */
  boardChanged(boardId: Uuid): void {
    this.#answers.forget(boardId);
  }

  #threadOf(station: StationName): StoreThread {
    const known = this.#threads.get(station);
    if (known !== undefined) return known;
    const thread =
      station === 'directory'
        ? this.#directoryThread
        : this.#shardThreads[Number(station.slice('shard '.length)) % this.#shardThreads.length];
    if (thread === undefined) throw new Error(`no thread for ${station}`);
    this.#threads.set(station, thread);
    return thread;
  }
}
