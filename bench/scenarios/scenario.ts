/** The parts of a scenario, and the stage that runs contestants and load generators until its group is done. */
import type { ContestantName } from '../processes/contestant.js';
import { Contestant } from '../processes/contestant.js';
import { LoadProcess, type LoadProgram } from '../processes/loadProcess.js';
import type { PackedHistogram } from '../histogram.js';
import type { Figures, SpeedBy } from '../results.js';

export interface Round {
  readonly figures: Figures;
  readonly latency: PackedHistogram;
  readonly problems: readonly string[];
}

/** One contestant in one form of the scenario. Lanes take turns, round by round, so that all run under the same conditions. */
export interface Lane {
  /** `target`: a service that was running already, see target.ts. */
  readonly contestant: ContestantName | 'target';
  /** What a round warms up. Lanes that share it are warm together. */
  readonly process?: object;
  readonly variant?: string;
  /** The number of the variant, for a curve. */
  readonly x?: number;
  /** Runs before the clock starts. */
  prepareRound?(): Promise<void>;
  measure(seconds: number): Promise<Round>;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** The name of one operation, in the singular. */
  readonly operation: string;
  readonly note?: string;
  /** Default: `either`. */
  readonly speedBy?: SpeedBy;
  /** If a round takes longer than most, or cannot be repeated. */
  readonly rounds?: number;
  readonly seconds?: number;
  /** If shorter rounds would mean nothing. */
  readonly leastSeconds?: number;
  /** Whether a first round is discarded. Not if rounds add up, as when sockets are opened. */
  readonly warmUp?: boolean;
  readonly lanes: readonly Lane[];
  begin?(): Promise<void>;
  end?(): Promise<void>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  /** Runs only if it is named or in a full run. */
  readonly onlyInFull?: boolean;
  /** Starts its processes. The scenarios then run in order. */
  prepare(stage: Stage): Promise<readonly Scenario[]>;
}

/**
 * `quick`: everything that a goal depends on, for a run of all groups within minutes. `normal`: a named group in all its
 * forms except the largest. `full`: everything.
 */
export type Depth = 'quick' | 'normal' | 'full';

export interface StageOptions {
  readonly depth: Depth;
  readonly rounds: number;
  /** The length of a round, if given; scenarios that need longer rounds have their own defaults. */
  readonly seconds: number | null;
  readonly onNote: (text: string) => void;
}

export class Stage {
  readonly depth: Depth;
  readonly rounds: number;
  readonly seconds: number | null;
  readonly #onNote: (text: string) => void;
  readonly #started: Array<() => unknown> = [];

  constructor(options: StageOptions) {
    this.depth = options.depth;
    this.rounds = options.rounds;
    this.seconds = options.seconds;
    this.#onNote = options.onNote;
  }

  async start(name: ContestantName, settings: Readonly<Record<string, string>> = {}): Promise<Contestant> {
    const contestant = await Contestant.start(name, settings);
    this.#started.push(() => contestant.stop());
    return contestant;
  }

  load(program: LoadProgram): LoadProcess {
    const load = new LoadProcess(program);
    this.#started.push(() => load.stop());
    return load;
  }

  /** For processes that a scenario started itself. */
  onClear(stop: () => unknown): void {
    this.#started.push(stop);
  }

  /** Shows progress. */
  note(text: string): void {
    this.#onNote(text);
  }

  /** In the reverse of the order in which they were started. */
  async clear(): Promise<void> {
    for (let stop = this.#started.pop(); stop !== undefined; stop = this.#started.pop()) await stop();
  }
}
