import { boardLimits } from '../../../src/shard/boardLimits.js';
import { loadConfig } from '../../../src/settings/config.js';
import type { BoardSize } from '../../../src/domain/board/boardSize.js';
import type { BoardLimits } from '../../../src/domain/limits.js';

/** The limits of a board without any setting. */
export const DEFAULT_LIMITS: BoardLimits = defaultLimits();

function defaultLimits(): BoardLimits {
  const loaded = loadConfig({});
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return boardLimits(loaded.config);
}

/** Limits that a board of this size has reached. */
export function sizeAsLimits(size: BoardSize): BoardLimits {
  return {
    cards: size.count('card'),
    columns: size.count('column'),
    labels: size.count('label'),
    members: size.count('member'),
    rules: size.count('rule'),
    items: size.count('checklist') + size.count('item') + size.count('attachment'),
    attachmentBytes: size.attachmentBytes,
    bytes: size.bytes,
  };
}
