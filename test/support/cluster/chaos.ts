/** Kills, freezes and restarts instances and NATS at random, by a seed, for a while; then repairs everything. */
import { randomNumbers } from '../seededRandom.js';
import { pause, type Instance, type TestCluster } from './cluster.js';

export interface ChaosOptions {
  readonly seed: number;
  /** It goes on for at least that long. */
  readonly seconds: number;
  /** And until there was enough to be disturbed: a machine that is slow writes less in the same time. */
  readonly isEnough: () => boolean;
  /** Explains a failure to the reader. */
  readonly say: (what: string) => void;
}

type Random = () => number;
type Troublemaker = (random: Random) => Promise<void>;

const LONGEST_CALM_MS = 900;
/** With a shorter one the instances would rarely get a heartbeat. */
const LONGEST_NATS_CALM_MS = 4_000;
const LONGEST_FREEZE_MS = 3_000;
const LONGEST_ABSENCE_MS = 2_000;

export async function makeTrouble(cluster: TestCluster, { seed, seconds, isEnough, say }: ChaosOptions): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const instances = cluster.running.length;
  const goOn = async (random: Random, longestCalm: number, troubles: readonly Troublemaker[]): Promise<void> => {
    while (performance.now() < end || !isEnough()) {
      await pause(random() * longestCalm);
      await troubles[Math.floor(random() * troubles.length)]?.(random);
    }
  };
  const troubles = new Troubles(cluster, say);
  await Promise.all([
    goOn(randomNumbers(seed), LONGEST_CALM_MS, [troubles.kill, troubles.freeze, troubles.freeze, troubles.restart]),
    goOn(randomNumbers(seed + 1), LONGEST_NATS_CALM_MS, [troubles.cutNats, troubles.freezeNats]),
  ]);
  while (cluster.running.length < instances) await cluster.add();
  await cluster.evenlySpread();
}

class Troubles {
  readonly #cluster: TestCluster;
  readonly #say: (what: string) => void;

  constructor(cluster: TestCluster, say: (what: string) => void) {
    this.#cluster = cluster;
    this.#say = say;
  }

  readonly kill: Troublemaker = async (random) => {
    const victim = this.#pickOne(random);
    this.#say(`kills ${victim.pid}`);
    await victim.kill();
    await pause(random() * LONGEST_ABSENCE_MS);
    await this.#cluster.add();
  };

  readonly freeze: Troublemaker = async (random) => {
    const victim = this.#pickOne(random);
    const milliseconds = random() * LONGEST_FREEZE_MS;
    this.#say(`freezes ${victim.pid} for ${milliseconds.toFixed()} ms`);
    victim.freeze();
    await pause(milliseconds);
    victim.resume();
  };

  readonly restart: Troublemaker = async (random) => {
    const victim = this.#pickOne(random);
    this.#say(`restarts ${victim.pid}`);
    await Promise.all([victim.stop(), this.#cluster.add()]);
  };

  readonly cutNats: Troublemaker = async (random) => {
    const { nats } = this.#cluster;
    const milliseconds = random() * LONGEST_ABSENCE_MS;
    this.#say(`takes NATS away for ${milliseconds.toFixed()} ms`);
    await nats.kill();
    await pause(milliseconds);
    await nats.start();
  };

  readonly freezeNats: Troublemaker = async (random) => {
    const { nats } = this.#cluster;
    const milliseconds = random() * LONGEST_FREEZE_MS;
    this.#say(`freezes NATS for ${milliseconds.toFixed()} ms`);
    nats.freeze();
    await pause(milliseconds);
    nats.resume();
  };

  #pickOne(random: Random): Instance {
    const { running } = this.#cluster;
    const one = running[Math.floor(random() * running.length)];
    if (one === undefined) throw new Error('no instance is left');
    return one;
  }
}
