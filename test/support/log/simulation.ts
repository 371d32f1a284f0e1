/**
 * Three instances that write to and read from one partition over a log that lies, in virtual time: they are killed,
 * frozen, cut off and restarted, and claim the partition whenever they may. The history that clients saw is judged.
 */
import { PartitionLog } from '../../../src/log/partitionLog.js';
import { LOG_START, type CopyFile, type LogPosition } from '../../../src/domain/ports/partitionLog.js';
import { SealedLog } from '../../../src/log/sealedLog.js';
import { judge, type History } from './judge.js';
import { HONEST, LyingLog, type Lies, type Link } from './lyingStream.js';
import { VirtualTime } from './virtualTime.js';

export type PartitionLogClass = typeof PartitionLog;

export interface SimulationOptions {
  readonly seed: number;
  readonly random: () => number;
  readonly lies: Lies;
  /** How long faults go on, in virtual milliseconds. */
  readonly milliseconds: number;
  /** The code under test; a broken one must be found out. */
  readonly partitionLog?: PartitionLogClass;
  /** The setting of each instance; all have the same if it is absent. */
  readonly leasesMs?: readonly number[];
}

export interface SimulationResult {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly reads: number;
  readonly terms: number;
  readonly resolved: number;
  readonly unknown: number;
}

export const LYING: Lies = { lostAnswers: 0.15, falseRefusals: 0.1, lostMessages: 0.08, lateMessages: 0.05, staleReads: 0.2, unheard: 0.2 };

const SEALED = { base: 0, secret: 'shared', cluster: 'cluster', partition: 'shard 0', generation: 1 };
const INSTANCES = 3;
const LEASE_MS = 2_000;
/** Longer than an append can take. */
const HEALING_MS = 60_000;

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { random } = options;
  const time = new VirtualTime();
  const log = new LyingLog(time, random);
  log.lies = options.lies;
  const history: History = { writes: [], reads: [] };
  const counts = { resolved: 0, unknown: 0 };
  const instances = Array.from({ length: INSTANCES }, (_, n) => new Instance(String(n), { ...options, time, log, history, counts }));
  const problems: string[] = [];
  for (const instance of instances) instance.start();
  while (time.now < options.milliseconds) {
    await time.runUntil(time.now + 5 + 60 * random());
    const instance = instances[Math.floor(random() * INSTANCES)];
    if (instance === undefined) continue;
    const fate = random();
    if (fate < 0.004) instance.restart(random() < 0.3);
    else if (fate < 0.01) instance.freeze(500 + 4_000 * random());
    else if (fate < 0.019) instance.cut(500 + 6_000 * random());
    else if (fate < 0.02) instance.cut(25_000);
    else instance.act(random);
  }
  log.lies = HONEST;
  for (const instance of instances) instance.heal();
  await time.runUntil(time.now + HEALING_MS);
  // Something must be written at the end, so that a copy that stopped following shows.
  for (let tries = 0; tries < 30; tries += 1) {
    for (const instance of instances) instance.act(() => 0.3);
    await time.runUntil(time.now + 100);
  }
  await time.runUntil(time.now + HEALING_MS);
  const copies = instances.map((instance) => instance.copy());
  problems.push(
    ...judge(
      history,
      copies.map(({ values }) => values),
    ),
  );
  for (const { name, halted } of copies) if (halted !== null) problems.push(`instance ${name} halted: ${halted}`);
  return {
    problems,
    acknowledged: history.writes.filter(({ outcome }) => outcome === 'stored').length,
    reads: history.reads.length,
    terms: Math.max(...copies.map(({ term }) => term)),
    ...counts,
  };
}

/** A value stands at the end of its commit, behind spaces. */
const VALUE_BYTES = 8;
const LARGE_BYTES = 1_200_000;
const SPACES = Buffer.alloc(LARGE_BYTES, ' ');

function commitOf(value: number, bytes: number): Buffer {
  return Buffer.concat([SPACES.subarray(0, bytes - VALUE_BYTES), Buffer.from(String(value).padStart(VALUE_BYTES))]);
}

/** NaN if anything of the commit is not as it was written. */
function valueIn(commit: Uint8Array): number {
  const bytes = Buffer.from(commit.buffer, commit.byteOffset, commit.byteLength);
  const end = Math.max(0, bytes.length - VALUE_BYTES);
  return bytes.subarray(0, end).equals(SPACES.subarray(0, end)) ? Number(bytes.toString('latin1', end)) : NaN;
}

interface World extends SimulationOptions {
  readonly time: VirtualTime;
  readonly log: LyingLog;
  readonly history: History;
  readonly counts: { resolved: number; unknown: number };
}

/** What a process leaves on its disk. */
interface Disk {
  readonly values: readonly number[];
  readonly position: LogPosition;
}

class Instance {
  readonly #name: string;
  readonly #world: World;
  #disk: Disk = { values: [], position: LOG_START };
  /** An earlier state, to which a power cut may take the file back. */
  #older: Disk = this.#disk;
  #process: Process | null = null;
  #incarnation = 0;
  #frozenUntil = 0;
  #cutUntil = 0;

  constructor(name: string, world: World) {
    this.#name = name;
    this.#world = world;
  }

  start(): void {
    this.#incarnation += 1;
    let isAlive = true;
    const { time } = this.#world;
    const run = (milliseconds: number, work: () => void): void =>
      time.after(milliseconds, () => {
        if (!isAlive) return;
        if (time.now < this.#frozenUntil) run(this.#frozenUntil - time.now, work);
        else work();
      });
    const link: Link = { isCut: () => !isAlive || time.now < this.#cutUntil, run };
    this.#process = new Process(`${this.#name}.${this.#incarnation}`, this.#name, this.#world, link, {
      read: () => this.#disk,
      write: (disk) => {
        if (!isAlive) return;
        if (this.#world.random() < 0.1) this.#older = this.#disk;
        this.#disk = disk;
      },
      end: () => {
        isAlive = false;
      },
    });
  }

  restart(isPowerCut: boolean): void {
    if (this.#world.time.now < this.#frozenUntil) return;
    this.#process?.kill();
    if (isPowerCut) this.#disk = this.#older;
    this.start();
  }

  freeze(milliseconds: number): void {
    this.#frozenUntil = this.#world.time.now + milliseconds;
  }

  cut(milliseconds: number): void {
    this.#cutUntil = this.#world.time.now + milliseconds;
  }

  heal(): void {
    this.#frozenUntil = 0;
    this.#cutUntil = 0;
    this.#process?.log.noteReconnection();
  }

  /** A client comes, or the instance looks whether it may take the partition. */
  act(random: () => number): void {
    if (this.#world.time.now >= this.#frozenUntil) this.#process?.act(random);
  }

  copy(): { name: string; values: readonly number[]; halted: string | null; term: number } {
    const log = this.#process?.log;
    return { name: this.#name, values: this.#disk.values, halted: log?.haltReason?.message ?? null, term: log?.position.term ?? 0 };
  }
}

interface ProcessDisk {
  read(): Disk;
  write(disk: Disk): void;
  end(): void;
}

/** The owner's part is what a shard does: decide in memory, append, commit, answer. */
class Process {
  readonly log: PartitionLog;
  readonly #world: World;
  readonly #disk: ProcessDisk;
  readonly #leaseMs: number;
  #memory: readonly number[] | null = null;
  #isBusy = false;

  constructor(instance: string, folder: string, world: World, link: Link, disk: ProcessDisk) {
    this.#world = world;
    this.#disk = disk;
    const file: CopyFile = {
      position: disk.read().position,
      apply: (commits, position) => {
        const values = [...disk.read().values, ...commits.map(valueIn)];
        disk.write({ values, position });
      },
    };
    const { time, counts, leasesMs, partitionLog: Log = PartitionLog } = world;
    this.#leaseMs = leasesMs?.[Number(folder)] ?? LEASE_MS;
    this.log = new Log({
      stream: new SealedLog({ ...SEALED, stream: world.log.viewOf(link) }),
      file,
      instance,
      folder,
      leaseMs: this.#leaseMs,
      schema: 1,
      now: () => time.now,
      pause: (milliseconds) => new Promise((resolve) => link.run(milliseconds, resolve)),
      onDeposed: () => this.#forget(),
      onError: () => undefined,
      count: (what) => {
        if (what === 'resolved by reading') counts.resolved += 1;
        if (what === 'unknown') counts.unknown += 1;
      },
    });
    void this.log.start();
  }

  kill(): void {
    this.#disk.end();
  }

  act(random: () => number): void {
    if (this.log.state === 'following') {
      this.log.noteRecords(this.#world.log.records.length);
      if (random() < 0.5) void this.log.claim({ term: this.log.position.term, schema: 1, leaseMs: this.#leaseMs });
    } else if (this.log.state === 'owning' && !this.#isBusy) {
      this.#memory ??= this.#disk.read().values;
      if (random() < 0.45) this.#write(random() < 0.05);
      else this.#read();
    }
  }

  #write(isLarge: boolean): void {
    const { history, time } = this.#world;
    const value = history.writes.length + 1;
    const write: History['writes'][number] = { value, startedAt: time.now, outcome: 'pending', endedAt: Infinity };
    history.writes.push(write);
    const values = [...(this.#memory ?? []), value];
    this.#memory = values;
    this.#isBusy = true;
    // A large commit goes in several pieces.
    this.log.append(commitOf(value, isLarge ? LARGE_BYTES : VALUE_BYTES), (error) => {
      this.#isBusy = false;
      write.endedAt = time.now;
      if (error === null) {
        this.#disk.write({ values, position: this.log.position });
        write.outcome = 'stored';
      } else {
        write.outcome = error.isStored === 'no' ? 'refused' : 'unknown';
        this.#forget();
      }
    });
  }

  #read(): void {
    const { history, time } = this.#world;
    const startedAt = time.now;
    const values = this.#memory ?? [];
    this.#isBusy = true;
    this.log.confirm((error) => {
      this.#isBusy = false;
      if (error === null) history.reads.push({ values, startedAt, endedAt: time.now });
      else this.#forget();
    });
  }

  #forget(): void {
    this.#memory = null;
    this.#isBusy = false;
  }
}
