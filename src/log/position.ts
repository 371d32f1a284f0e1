import type { LogPosition } from '../domain/ports/partitionLog.js';
import { NO_CHAIN } from './records.js';

/** Of a copy that has nothing yet. */
export const LOG_START: LogPosition = { applied: 0, chain: NO_CHAIN, term: 0, owner: null };
