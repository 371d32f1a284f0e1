import { boardLimits } from '../../../src/shard/boardLimits.js';
import { loadConfig } from '../../../src/settings/config.js';
import type { BoardSize } from '../../../src/domain/board/boardSize.js';
import { measure, type BoardLimits, type BoardMeasure } from '../../../src/domain/limits.js';

/** The limits of a board without any setting. */
export const DEFAULT_LIMITS: BoardLimits = defaultLimits();

function defaultLimits(): BoardLimits {
  const loaded = loadConfig({});
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return boardLimits(loaded.config);
}

/** Limits that a board of this size has reached. */
export function sizeAsLimits(size: BoardSize): BoardLimits {
  const names = Object.keys(DEFAULT_LIMITS) as BoardMeasure[];
  return Object.fromEntries(names.map((name) => [name, measure(size, name)])) as unknown as BoardLimits;
}
