import { boardLimits } from '../../../src/shard/boardLimits.js';
import { loadConfig } from '../../../src/config.js';
import type { BoardLimits } from '../../../src/domain/limits.js';

/** The limits of a board without any setting. */
export const DEFAULT_LIMITS: BoardLimits = defaultLimits();

function defaultLimits(): BoardLimits {
  const loaded = loadConfig({});
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return boardLimits(loaded.config);
}
