/** All clients of a recorded service: they write, note what was promised and when, and look for it after a cut. */
import { EventEmitter, once } from 'node:events';
import { Api } from '../http/api.js';
import { newUser } from '../http/users.js';
import { monotonicTime } from '../monotonicTime.js';
import { findProblems, newWorld, settle, type World, type WorldSize } from '../store/crashWorld.js';
import { FileWriter } from './fileWriter.js';
import { Newcomers } from './newcomers.js';
import { Witness } from './witness.js';

/** What a phase must have seen, at least. A slow machine takes longer for it. */
export interface Progress {
  readonly changes: number;
  readonly newcomers: number;
  readonly files: number;
}

export class Load {
  readonly #world: World;
  readonly #files: FileWriter;
  readonly #newcomers = new Newcomers();
  readonly #witnesses: readonly Witness[];
  #isOn = false;
  #working: readonly Promise<void>[] = [];
  readonly #acknowledgedAt: number[] = [];
  readonly #progress = new EventEmitter();

  private constructor(world: World, files: FileWriter) {
    this.#world = world;
    this.#files = files;
    this.#witnesses = world.workplaces.map(({ board, before }) => new Witness(board, world.owner, before.seq));
  }

  static async prepare(api: Api, size: WorldSize): Promise<Load> {
    return new Load(await newWorld(api, size), await FileWriter.prepare(api, await newUser(api)));
  }

  /** When a change of a card or membership was acknowledged, or an event came: a cut then must not undo it. */
  get promiseTimes(): number[] {
    return [...this.#acknowledgedAt, ...this.#witnesses.flatMap(({ times }) => times)];
  }

  get figures(): string {
    const changes = `${this.#acknowledgedAt.length} changes of cards and memberships`;
    return `${changes}, ${this.#newcomers.count} users, ${this.#files.count} files`;
  }

  async start(url: string): Promise<void> {
    const api = await Api.connect(url);
    await Promise.all(this.#witnesses.map((witness) => witness.connect(url)));
    this.#isOn = true;
    const goesOn = (): boolean => {
      this.#progress.emit('step');
      return this.#isOn;
    };
    const count = (): boolean => {
      this.#acknowledgedAt.push(monotonicTime());
      return goesOn();
    };
    this.#working = [
      ...this.#world.writers.map((writer) => writer.write(api, count)),
      this.#newcomers.arrive(api, goesOn),
      this.#files.write(api, goesOn),
    ];
  }

  /** Resolves when so much more was acknowledged. Rejects if a client cannot go on. */
  async advance({ changes, newcomers, files }: Progress): Promise<void> {
    const [toChange, toArrive] = [this.#acknowledgedAt.length + changes, this.#newcomers.count + newcomers];
    const toAttach = this.#files.count + files;
    const isEnough = (): boolean => this.#acknowledgedAt.length >= toChange && this.#newcomers.count > toArrive && this.#files.count > toAttach;
    const stopped = Promise.all(this.#working).then(() => {
      throw new Error('the service is gone');
    });
    while (!isEnough()) await Promise.race([once(this.#progress, 'step'), stopped]);
    // From now on it may be.
    stopped.catch(() => undefined);
  }

  /** Resolves when every request has its answer. */
  async pause(): Promise<void> {
    this.#isOn = false;
    await this.gone();
  }

  /** Resolves when the clients have noticed that the service is gone. */
  async gone(): Promise<void> {
    await Promise.all(this.#working);
    for (const witness of this.#witnesses) witness.close();
  }

  /** After a restart that left requests unanswered. */
  async settle(url: string): Promise<void> {
    await settle(await Api.connect(url), this.#world);
  }

  /** What is not as it was promised at this time, on the clock of the trace. */
  async findProblems(url: string, time: number): Promise<string[]> {
    const api = await Api.connect(url);
    const writers = this.#world.writers.map((writer) => writer.asOf(time));
    return [
      // The witnesses first: looking at the world changes it.
      ...(await Promise.all(this.#witnesses.map((witness) => witness.findProblems(api, time)))).flat(),
      ...(await findProblems(api, { ...this.#world, writers })),
      ...(await this.#newcomers.findProblems(api, this.#world.owner.token, time)),
      ...(await this.#files.findProblems(api, time)),
    ];
  }
}
