/**
 * The waits of bystanders in several rounds of the same attacks. The promise is about the median of an attack: a single
 * round also measures what else the machine did.
 */

/** How much longer a bystander may wait than without the attack. */
export const PROMISED_EXTRA_WAIT_MS = 50;

const LINE = /^ *# attack (\d+) of "(.+)": a bystander waits (-?\d+) ms more$/gm;

/** The line by which a test reports one. */
export function reportedWait(attack: number, test: string, extraMs: number): string {
  return `attack ${attack} of "${test}": a bystander waits ${Math.round(extraMs)} ms more`;
}

export interface Median {
  readonly attack: string;
  readonly median: number;
  readonly rounds: readonly number[];
  readonly isKept: boolean;
}

export class Waits {
  readonly #byAttack = new Map<string, number[]>();

  /** Reads the output of a test file. */
  add(file: string, stdout: string): void {
    for (const [, attack, test, milliseconds] of stdout.matchAll(LINE)) {
      const name = `${file}: ${test}, attack ${attack}`;
      this.#byAttack.set(name, [...(this.#byAttack.get(name) ?? []), Number(milliseconds)]);
    }
  }

  /** The largest first. */
  medians(): Median[] {
    const medians = [...this.#byAttack].map(([attack, rounds]) => {
      const median = rounds.toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Infinity;
      return { attack, median, rounds, isKept: median <= PROMISED_EXTRA_WAIT_MS };
    });
    return medians.sort((a, b) => b.median - a.median);
  }
}
