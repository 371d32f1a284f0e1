/** What a scenario is made of, and the stage on which contestants and load generators live until its group is done. */
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

/** One contestant in one form of the scenario. Lanes take turns, round by round, so that all see the same machine. */
export interface Lane {
  readonly contestant: ContestantName;
  /** What gets warm by a round. Lanes that share it are warm together. */
  readonly process?: object;
  readonly variant?: string;
  /** The number behind the variant, for a curve. */
  readonly x?: number;
  /** Runs before the clock starts. */
  prepareRound?(): Promise<void>;
  measure(seconds: number): Promise<Round>;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** What one operation is, in the singular. */
  readonly operation: string;
  readonly note?: string;
  /** `either` when left out. */
  readonly speedBy?: SpeedBy;
  /** Where a round takes longer than most, or cannot be repeated. */
  readonly rounds?: number;
  readonly seconds?: number;
  /** Where shorter rounds would say nothing. */
  readonly leastSeconds?: number;
  /** Whether a first round is thrown away. Not where rounds add up, as when sockets are opened. */
  readonly warmUp?: boolean;
  readonly lanes: readonly Lane[];
  begin?(): Promise<void>;
  end?(): Promise<void>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  /** Left out of a run that names no groups, unless it is a full one. */
  readonly onlyInFull?: boolean;
  /** Starts what it needs. The scenarios then run in their order. */
  prepare(stage: Stage): Promise<readonly Scenario[]>;
}

/**
 * `quick`: everything that a goal depends on, for a run of all groups within minutes. `normal`: a group that was asked
 * for, in all its forms but the largest. `full`: all.
 */
export type Depth = 'quick' | 'normal' | 'full';

export interface StageOptions {
  readonly depth: Depth;
  readonly rounds: number;
  /** A round's length when it was asked for; scenarios that need longer rounds have defaults of their own. */
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

  /** For what a scenario started by itself. */
  onClear(stop: () => unknown): void {
    this.#started.push(stop);
  }

  /** Progress, for whoever waits. */
  note(text: string): void {
    this.#onNote(text);
  }

  /** In the reverse of the order in which they were started. */
  async clear(): Promise<void> {
    for (let stop = this.#started.pop(); stop !== undefined; stop = this.#started.pop()) await stop();
  }
}
