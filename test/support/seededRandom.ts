/** Random choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to but not including the limit. */
  below(limit: number): number;
  /** Undefined only for an empty list, which the types ignore. */
  pick<T>(list: readonly T[]): T;
}

export function seededRandom(seed: number): Random {
  const next = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (list) => list[below(list.length)] as (typeof list)[number] };
}

/** Mulberry32: small, and good enough for choosing faults in a test. From 0 up to but not including 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
