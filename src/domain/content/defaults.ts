/** Facts about what is new on a board. The client predicts with them: `npm run openapi` copies them to its sources. */

/** Of columns and labels that are given none. */
export const DEFAULT_COLOR = '#6b7280';

/** Between the ranks of neighbours that were added last. */
export const RANK_GAP = 65_536;
