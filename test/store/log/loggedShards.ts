/** Shards that share a log, as in one store thread. The test decides when a turn ends and time passes. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Test } from 'tap';
import type { BoardKey } from '../../../src/domain/ids.js';
import { shardFile } from '../../../src/store/folder/dataFolder.js';
import { isLogFile } from '../../../src/store/log/logFiles.js';
import { openThreadLog, type ThreadLog } from '../../../src/store/log/threadLog.js';
import { openShard } from '../../../src/store/shard/openShard.js';
import type { Shard } from '../../../src/store/shard/shard.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { createBoard, newCard, NOW } from '../temporaryShard.js';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

/** A program: from a folder to another. */
const COPY = `require('node:fs').cpSync(process.argv[1], process.argv[2], { recursive: true, preserveTimestamps: true })`;

/** What the schedule of flushes looks at its files with. */
const TICK_MS = 50;
/** After this every file has been flushed. */
const ALL_FLUSHED_MS = 10_000;

export class LoggedShards {
  readonly errors: unknown[] = [];
  readonly keys: BoardKey[] = [];
  /** Titles of the cards that were acknowledged, by shard. */
  readonly acknowledged: string[][] = [];
  readonly #dataDir: string;
  readonly #count: number;
  #now = 0;
  #isOpen = true;
  readonly #log: ThreadLog;
  readonly #shards: Shard[];

  static async open(t: Test, count: number): Promise<LoggedShards> {
    mock.timers.enable({ apis: ['setInterval'] });
    const shards = new LoggedShards(await temporaryFolder(t), count);
    t.teardown(() => {
      shards.close();
      mock.timers.reset();
    });
    return shards;
  }

  private constructor(dataDir: string, count: number) {
    this.#dataDir = dataDir;
    this.#count = count;
    this.#log = this.#openLog();
    this.#shards = Array.from({ length: count }, (_, shard) => this.#openShard(shard));
    for (const shard of this.#shards) {
      this.keys.push(createBoard(shard).key);
      this.acknowledged.push([]);
    }
    this.pass(ALL_FLUSHED_MS);
  }

  get dataDir(): string {
    return this.#dataDir;
  }

  shard(n: number): Shard {
    const shard = this.#shards[n];
    if (shard === undefined) throw new Error(`there is no shard ${n}`);
    return shard;
  }

  /** Writes a card and hands its commit over. `settled` gets null when it is on disk. */
  add(n: number, title: string, settled: (error: unknown) => void = () => undefined): void {
    const shard = this.shard(n);
    try {
      shard.begin();
      this.#writeCard(n, title);
    } catch (error) {
      shard.rollback();
      return settled(error);
    }
    shard.commitTogether((error) => {
      if (error === null) this.acknowledged[n]?.push(title);
      else shard.rollback();
      settled(error);
    });
  }

  /** The same, on disk when it returns. */
  addNow(n: number, title: string): void {
    this.shard(n).transaction(() => this.#writeCard(n, title));
    this.acknowledged[n]?.push(title);
  }

  /** Everything that waits is on disk. */
  endTurn(): void {
    this.#log.flush();
  }

  /** As the thread does it: returns the work that is left for later turns. */
  endTurnOnly(): Array<() => void> {
    const left: Array<() => void> = [];
    this.#log.endTurn((step) => left.push(step));
    return left;
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      this.#now += TICK_MS;
      mock.timers.tick(TICK_MS);
    }
  }

  titles(n: number): string[] {
    return titlesIn(this.shard(n), this.keys[n] ?? '');
  }

  /** `between`: while the shard is closed. */
  reopen(n: number, between: () => void = () => undefined): void {
    this.shard(n).close();
    between();
    this.#shards[n] = this.#openShard(n);
  }

  /** The names of the logs in the folder. */
  logs(): string[] {
    return readdirSync(this.#dataDir).filter(isLogFile);
  }

  records(): Array<[shard: number, number: number]> {
    return this.sql(this.#log.name, 'SELECT shard, number FROM record ORDER BY shard, number') as Array<[number, number]>;
  }

  /** From outside, to look behind the store or to plant a fault. */
  sql(file: string, text: string): unknown[] {
    const db = new Sqlite(join(this.#dataDir, file));
    try {
      const statement = db.prepare(text);
      return statement.reader ? statement.raw().all() : [statement.run().changes];
    } finally {
      db.close();
    }
  }

  sqlInShard(n: number, text: string): unknown[] {
    return this.sql(shardFile(n), text);
  }

  sqlInLog(text: string): unknown[] {
    return this.sql(this.#log.name, text);
  }

  /** The folder as a kill at this moment would leave it. Copied by another process, because of the locks of this one. */
  async image(t: Test): Promise<string> {
    const folder = await temporaryFolder(t);
    execFileSync(process.execPath, ['-e', COPY, this.#dataDir, folder]);
    return folder;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const shard of this.#shards) shard.close();
    this.#log.close();
  }

  #writeCard(n: number, title: string): void {
    const [shard, key] = [this.shard(n), this.keys[n] ?? ''];
    shard.write(key, [{ kind: 'card', put: newCard(key, title) }], [], shard.positionOf(key)?.seq ?? 0, NOW);
  }

  #openLog(): ThreadLog {
    return openThreadLog({ dataDir: this.#dataDir, thread: 0, onError: this.#note, now: () => this.#now });
  }

  #openShard(shard: number): Shard {
    const shared = { dataDir: this.#dataDir, shard, shards: this.#count, durability: 'full' } as const;
    return openShard({ ...shared, log: this.#log, onError: this.#note });
  }

  readonly #note = (error: unknown): void => void this.errors.push(error);
}

/** Opens the shards of a folder as the next start would, and closes them. Sorted titles by shard. */
export function titlesAfterStart(dataDir: string, keys: readonly BoardKey[]): string[][] {
  return keys.map((key, shard) => {
    const opened = openShard({ dataDir, shard, shards: keys.length, durability: 'full' });
    try {
      return titlesIn(opened, key);
    } finally {
      opened.close();
    }
  });
}

function titlesIn(shard: Shard, key: BoardKey): string[] {
  return (shard.loadBoard(key)?.entities.card ?? []).map(({ title }) => title).sort();
}
