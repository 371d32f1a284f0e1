import type { FullBoard } from '../../client/index.js';
import type { OpenBoard } from '../state/openBoard.js';

/** Of every section of the panel. */
export interface SectionProps {
  readonly open: OpenBoard;
  /** As it is now. */
  readonly board: FullBoard;
}
