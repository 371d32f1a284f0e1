/** Something that is changed by one request after another, and what was promised about it at any time. */
import { monotonicTime } from '../monotonicTime.js';

interface Change<State> {
  readonly state: State;
  readonly sentAt: number;
  /** Null while the request is not answered. Only the last one can be. */
  readonly acknowledgedAt: number | null;
}

export class Promised<State> {
  readonly #first: State;
  #changes: readonly Change<State>[];

  constructor(first: State, changes: readonly Change<State>[] = []) {
    this.#first = first;
    this.#changes = changes;
  }

  /** As acknowledged last. */
  get acknowledged(): State {
    const last = this.#changes.findLast(isAcknowledged);
    return last === undefined ? this.#first : last.state;
  }

  /** As it may be by a request that is not answered; undefined if there is none. */
  get unanswered(): State | undefined {
    return this.#open?.state;
  }

  send(state: State): void {
    if (this.#open !== undefined) throw new Error('the request before was not answered');
    this.#changes = [...this.#changes, { state, sentAt: monotonicTime(), acknowledgedAt: null }];
  }

  acknowledge(): void {
    const open = this.#open;
    if (open === undefined) throw new Error('no request was sent');
    this.#changes = [...this.#changes.slice(0, -1), { ...open, acknowledgedAt: monotonicTime() }];
  }

  /** The found state is the promised one from now on. It may have been there since the last request was sent. */
  settle(found: State): void {
    const now = monotonicTime();
    const sentAt = this.#open?.sentAt ?? now;
    this.#changes = [...this.#changes.filter(isAcknowledged), { state: found, sentAt, acknowledgedAt: now }];
  }

  /** What was promised at an earlier time, on the clock of `monotonicTime`. */
  asOf(time: number): Promised<State> {
    const sent = this.#changes.filter(({ sentAt }) => sentAt <= time);
    const known = sent.map((change) => (isLater(change.acknowledgedAt, time) ? { ...change, acknowledgedAt: null } : change));
    return new Promised(this.#first, known);
  }

  get #open(): Change<State> | undefined {
    const last = this.#changes.at(-1);
    return last?.acknowledgedAt === null ? last : undefined;
  }
}

function isAcknowledged({ acknowledgedAt }: Change<unknown>): boolean {
  return acknowledgedAt !== null;
}

function isLater(acknowledgedAt: number | null, time: number): boolean {
  return acknowledgedAt !== null && acknowledgedAt > time;
}
