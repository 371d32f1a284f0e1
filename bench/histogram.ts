/**
 * Latencies in buckets that grow with the value, so that every percentile is accurate to 1 % at a fixed size. They are
 * sent between processes as plain numbers; merged rounds give the distribution of a whole run.
 */

/** Below this many microseconds every value has its own bucket. */
const EXACT = 256;
/** Buckets in each doubling above that. */
const STEPS = 128;
const STEP_BITS = 7;
/** 2^31 µs is 35 minutes: nothing here takes so long, and shifts stay within 32 bits. */
const MAX_MICROS = 2 ** 31 - 1;
const BUCKETS = EXACT + (31 - 8) * STEPS;

/** Bucket and count, for the buckets that have any. */
export type PackedHistogram = ReadonlyArray<readonly [bucket: number, count: number]>;

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #total = 0;

  static unpack(packed: PackedHistogram): Histogram {
    const histogram = new Histogram();
    histogram.merge(packed);
    return histogram;
  }

  get total(): number {
    return this.#total;
  }

  record(milliseconds: number): void {
    this.#add(bucketOf(Math.round(milliseconds * 1000)), 1);
  }

  merge(packed: PackedHistogram): void {
    for (const [bucket, count] of packed) this.#add(bucket, count);
  }

  /** In milliseconds; NaN if nothing was recorded. `fraction` is from 0 to 1. */
  percentile(fraction: number): number {
    const wanted = Math.max(1, Math.ceil(fraction * this.#total));
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket] ?? 0;
      if (seen >= wanted) return middleOf(bucket) / 1000;
    }
    return Number.NaN;
  }

  pack(): PackedHistogram {
    const packed: Array<readonly [number, number]> = [];
    this.#counts.forEach((count, bucket) => {
      if (count > 0) packed.push([bucket, count]);
    });
    return packed;
  }

  #add(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    this.#total += count;
  }
}

function bucketOf(micros: number): number {
  const value = Math.min(MAX_MICROS, Math.max(0, micros));
  if (value < EXACT) return value;
  const exponent = 31 - Math.clz32(value);
  return EXACT + (exponent - 8) * STEPS + ((value >> (exponent - STEP_BITS)) - STEPS);
}

function middleOf(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const shift = Math.floor((bucket - EXACT) / STEPS) + 1;
  const step = ((bucket - EXACT) % STEPS) + STEPS;
  return (step + 0.5) * 2 ** shift;
}
