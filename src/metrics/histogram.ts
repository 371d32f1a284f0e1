/** Counts observations by size, as plain data: histograms of several threads are added up. */
export interface HistogramData {
  /** Upper bounds, rising. Larger observations are only in `count`. */
  readonly bounds: readonly number[];
  /** Observations in each bucket; not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** In seconds, from answers out of memory to answers that users complain about. */
export const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
export const SIZE_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  get data(): HistogramData {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum, count: this.#count };
  }
}

/** All must have the same bounds. */
export function addHistograms(all: readonly HistogramData[], bounds: readonly number[]): HistogramData {
  return {
    bounds,
    counts: bounds.map((_, bucket) => all.reduce((sum, { counts }) => sum + (counts[bucket] ?? 0), 0)),
    sum: all.reduce((total, { sum }) => total + sum, 0),
    count: all.reduce((total, { count }) => total + count, 0),
  };
}
