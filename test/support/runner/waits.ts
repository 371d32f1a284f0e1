/**
 * The waits of bystanders in several rounds of the same attacks. The promise is about the median of an attack: a single
 * round also measures what else the machine did. Where a machine is too noisy for it, the CPU time of the longest turn of
 * the I/O thread shows that nobody waited for the service itself.
 */

/** How much longer a bystander may wait than without the attack. */
export const PROMISED_EXTRA_WAIT_MS = 50;
const PROMISED_TURN_MS = 15;

const LINE = /^ *# attack (\d+) of "(.+)": a bystander waits (-?\d+) ms more; the longest turn: (\d+) ms$/gm;

/** The line by which a test reports one. */
export function reportedWait(attack: number, test: string, extraMs: number, turnMs: number): string {
  return `attack ${attack} of "${test}": a bystander waits ${Math.round(extraMs)} ms more; the longest turn: ${turnMs} ms`;
}

interface Round {
  readonly waitMs: number;
  readonly turnMs: number;
}

export interface Median {
  readonly attack: string;
  readonly waitMs: number;
  readonly turnMs: number;
  readonly rounds: readonly Round[];
  readonly isKept: boolean;
}

export class Waits {
  readonly #byAttack = new Map<string, Round[]>();

  /** Reads the output of a test file. */
  add(file: string, stdout: string): void {
    for (const [, attack, test, waitMs, turnMs] of stdout.matchAll(LINE)) {
      const name = `${file}: ${test}, attack ${attack}`;
      this.#byAttack.set(name, [...(this.#byAttack.get(name) ?? []), { waitMs: Number(waitMs), turnMs: Number(turnMs) }]);
    }
  }

  /** The longest wait first. */
  medians(): Median[] {
    const medians = [...this.#byAttack].map(([attack, rounds]) => {
      const [waitMs, turnMs] = [median(rounds.map((round) => round.waitMs)), median(rounds.map((round) => round.turnMs))];
      return { attack, waitMs, turnMs, rounds, isKept: waitMs <= PROMISED_EXTRA_WAIT_MS || turnMs <= PROMISED_TURN_MS };
    });
    return medians.sort((a, b) => b.waitMs - a.waitMs);
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Infinity;
}
