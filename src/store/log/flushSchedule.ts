/**
 * Decides when the files that follow a log are committed and flushed, so that the log stays small and an idle file soon
 * holds everything by itself.
 */

export interface LoggedFile {
  /** Commits the open transaction without a flush, unless a batch is being written. */
  settle(): void;
  /** Commits and flushes. Returns the number of the latest commit on disk. */
  flush(): number | 'busy' | 'failed';
}

export interface FlushScheduleOptions {
  readonly flushed: (shard: number, number: number) => void;
  /** Removes records that are no longer needed. Never throws. */
  readonly prune: () => void;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

/**
 * How often files are looked at. In every second interval the commits of a file are gathered in one transaction; in the
 * others each is committed by itself, so that a backup tool that wants to write finds a gap.
 */
const TICK_MS = 50;
/** A file is flushed this long after the first commit that it may not have on disk. */
const FLUSH_AFTER_MS = 3_000;
/** Or after this many bytes of its commits. */
const FLUSH_AFTER_BYTES = 4 * 1024 * 1024;
/** A file that cannot be flushed takes no more commits after this many bytes: the log must not fill the disk. */
const MAX_UNFLUSHED_BYTES = 4 * FLUSH_AFTER_BYTES;
/** Of the files that are due, one in this many is flushed in a tick: a flush is a wait for the whole thread. */
const DUE_PER_FLUSH = 20;

interface State {
  readonly file: LoggedFile;
  /** When the first unflushed commit came, or the last flush failed; null if all are flushed. */
  since: number | null;
  /** Of the unflushed commits. */
  bytes: number;
  /** The file is flushed when `bytes` reaches this. */
  flushAt: number;
}

export class FlushSchedule {
  readonly #options: FlushScheduleOptions;
  readonly #states = new Map<number, State>();
  /** Whether commits came since the last tick. */
  #isBusy = false;
  #isGathering = true;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FlushScheduleOptions) {
    this.#options = options;
  }

  add(shard: number, file: LoggedFile): void {
    this.#states.set(shard, { file, since: null, bytes: 0, flushAt: FLUSH_AFTER_BYTES });
  }

  remove(shard: number): void {
    this.#states.delete(shard);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#isGathering = true;
  }

  /** Whether the log has all it may have of this shard. */
  isFull(shard: number): boolean {
    return (this.#states.get(shard)?.bytes ?? 0) >= MAX_UNFLUSHED_BYTES;
  }

  /** Whether commits of a file wait for the next tick, in one transaction. */
  get isGathering(): boolean {
    return this.#isGathering;
  }

  /** Bytes of commits that the files may not have on disk. */
  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#states.values()) sum += bytes;
    return sum;
  }

  /** The file was flushed otherwise. True if it had commits in the log only. */
  noteFlushed(shard: number): boolean {
    const state = this.#states.get(shard);
    if (state === undefined || state.since === null) return false;
    this.#reset(state);
    return true;
  }

  /** Commits of these shards are in the log. */
  noteLogged(commits: ReadonlyArray<{ readonly shard: number; readonly bytes: number }>): void {
    const now = this.#options.now();
    this.#isBusy = true;
    for (const { shard, bytes } of commits) {
      const state = this.#states.get(shard);
      if (state === undefined) continue;
      state.since ??= now;
      state.bytes += bytes;
      if (state.bytes >= state.flushAt) this.#flush(shard, state);
    }
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    this.#isGathering = !this.#isGathering;
    for (const { file } of this.#states.values()) file.settle();
    this.#flushDue();
    // Otherwise the next append prunes.
    if (!this.#isBusy) this.#options.prune();
    const isWaiting = this.#isBusy || [...this.#states.values()].some(({ since }) => since !== null);
    this.#isBusy = false;
    if (!isWaiting) this.stop();
  }

  /** The longest waiting first. */
  #flushDue(): void {
    const dueBefore = this.#options.now() - FLUSH_AFTER_MS;
    const due = [...this.#states].filter(([, { since }]) => since !== null && since <= dueBefore);
    due.sort(([, a], [, b]) => (a.since ?? 0) - (b.since ?? 0));
    for (const [shard, state] of due.slice(0, Math.ceil(due.length / DUE_PER_FLUSH))) this.#flush(shard, state);
  }

  /** A file that cannot be flushed keeps its records in the log, and is tried again later. */
  #flush(shard: number, state: State): void {
    const number = state.file.flush();
    if (number === 'busy') return;
    if (number === 'failed') {
      state.since = this.#options.now();
      state.flushAt = state.bytes + FLUSH_AFTER_BYTES;
    } else {
      this.#options.flushed(shard, number);
      this.#reset(state);
    }
  }

  #reset(state: State): void {
    state.since = null;
    state.bytes = 0;
    state.flushAt = FLUSH_AFTER_BYTES;
  }
}
