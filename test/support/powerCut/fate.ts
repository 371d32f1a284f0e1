/** Chance decides what of the unflushed changes a power cut leaves. The same seed decides the same way. */
import type { Random } from '../seededRandom.js';

/**
 * `drop`: nothing that was not flushed is there. `keep`: everything is. `subset`: each change is there or not, in some
 * files more of them than in others. `torn`: of some writes only the first sectors are there.
 */
export const CUT_MODES = ['drop', 'subset', 'torn', 'keep'] as const;
export type CutMode = (typeof CUT_MODES)[number];

export interface Fate {
  /** Whether a change of a name is there. */
  keepsName(): boolean;
  ofFile(): FileFate;
}

export interface FileFate {
  /** How many sectors of a write are there, counted from its first. */
  sectorsKept(sectors: number): number;
  /** Whether the file has the new size, where the size changes without content. */
  keepsSize(): boolean;
}

const NOTHING: FileFate = { sectorsKept: () => 0, keepsSize: () => false };
const EVERYTHING: FileFate = { sectorsKept: (sectors) => sectors, keepsSize: () => true };

/** Shares of the writes of a file that are there, in percent. */
const SHARES = [0, 10, 50, 90, 100];

export function fateOf(mode: CutMode, random: Random): Fate {
  const isThere = (percent: number): boolean => random.below(100) < percent;
  switch (mode) {
    case 'drop':
      return { keepsName: () => false, ofFile: () => NOTHING };
    case 'keep':
      return { keepsName: () => true, ofFile: () => EVERYTHING };
    case 'subset':
      return {
        keepsName: () => isThere(50),
        ofFile: () => {
          const share = random.pick(SHARES);
          return { sectorsKept: (sectors) => (isThere(share) ? sectors : 0), keepsSize: () => isThere(share) };
        },
      };
    case 'torn':
      return {
        keepsName: () => isThere(50),
        ofFile: () => ({
          sectorsKept: (sectors) => random.pick([0, random.below(sectors + 1), sectors]),
          keepsSize: () => isThere(50),
        }),
      };
  }
}
