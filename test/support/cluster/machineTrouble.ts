/** Kills, freezes, isolates and restarts machines at random, by a seed, for a while; then repairs everything. */
import type { Machines } from './machines.js';

export interface MachineTroubleOptions {
  readonly random: () => number;
  readonly seconds: number;
  readonly say: (what: string) => void;
  /** Partitions whose log may be replaced, as the command line names them: their clients get `resync`. */
  readonly reseeds?: readonly string[];
}

/** NATS gives up a leader that is cut off after up to nine seconds: a shorter isolation never moves it. */
const ISOLATION_MS = 11_000;
const FREEZE_MS = 4_000;
const REST_MS = 2_500;

export type TroubleName =
  | 'kill'
  | 'freeze'
  | 'blink'
  | 'isolate'
  | 'killServer'
  | 'killBoth'
  | 'freezeServer'
  | 'restart'
  | 'killAll'
  | 'cutLink'
  | 'restartServers'
  | 'reseed';

export class MachineTrouble {
  readonly #machines: Machines;
  readonly #options: MachineTroubleOptions;
  readonly done = new Map<TroubleName, number>();

  constructor(machines: Machines, options: MachineTroubleOptions) {
    this.#machines = machines;
    this.#options = options;
  }

  /** One after another: with two machines of three in trouble nobody could be served. */
  async goOn(names: readonly TroubleName[]): Promise<void> {
    const { random, seconds } = this.#options;
    for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
      const name = names[Math.floor(random() * names.length)];
      if (name === undefined) return;
      await this.make(name, Math.floor(random() * this.#machines.all.length));
      await pause(REST_MS * (0.5 + random()));
    }
  }

  async make(name: TroubleName, machine: number): Promise<void> {
    this.#options.say(`${name} ${machine}`);
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
    const { nats } = this.#machines;
    const service = this.#machines.service(machine);
    switch (name) {
      case 'kill':
        await service.kill();
        await pause(this.#some(4_000));
        await this.#machines.startInstance(machine);
        return;
      case 'restart':
        await service.stop();
        await this.#machines.startInstance(machine);
        return;
      case 'freeze':
      case 'blink':
        service.freeze();
        // A blink lasts about as long as a lease.
        await pause(name === 'blink' ? 1_800 + this.#some(900) : this.#some(FREEZE_MS));
        service.resume();
        return;
      case 'isolate':
        nats.links.isolate(machine);
        await pause(ISOLATION_MS);
        nats.links.heal();
        return;
      case 'cutLink':
        nats.links.cut(machine, this.#next(machine));
        await pause(ISOLATION_MS);
        nats.links.heal();
        return;
      case 'restartServers':
        for (const { number } of this.#machines.all) {
          await nats.stop(number);
          await nats.start(number);
          await this.#machines.whole();
        }
        return;
      case 'killServer':
        await nats.kill(machine);
        await pause(this.#some(6_000));
        await nats.start(machine);
        return;
      case 'freezeServer':
        nats.freeze(machine);
        await pause(this.#some(FREEZE_MS));
        nats.resume(machine);
        return;
      case 'killBoth':
        await Promise.all([service.kill(), nats.kill(machine)]);
        await pause(this.#some(8_000));
        await nats.start(machine);
        await this.#machines.startInstance(machine);
        return;
      case 'killAll': {
        const all = this.#machines.all.map(({ number }) => number);
        await Promise.all(all.flatMap((each) => [this.#machines.service(each).kill(), nats.kill(each)]));
        await Promise.all([nats.startAll(), ...all.map((each) => this.#machines.startInstance(each))]);
        return;
      }
      case 'reseed':
        await this.#reseed(machine);
    }
  }

  /** By the copy of this machine: the last one to stop has everything. */
  async #reseed(machine: number): Promise<void> {
    const { reseeds = [], random, say } = this.#options;
    const partition = reseeds[Math.floor(random() * reseeds.length)];
    if (partition === undefined) throw new Error('no partition may be reseeded');
    const all = this.#machines.all.map(({ number }) => number);
    await Promise.all(all.filter((each) => each !== machine).map((each) => this.#machines.service(each).stop()));
    await this.#machines.service(machine).stop();
    say((await this.#machines.command(machine, 'cluster', 'reseed', partition, '--force')).trim());
    await Promise.all(all.map((each) => this.#machines.startInstance(each)));
  }

  #next(machine: number): number {
    return (machine + 1) % this.#machines.all.length;
  }

  #some(milliseconds: number): number {
    return milliseconds * (0.25 + 0.75 * this.#options.random());
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
