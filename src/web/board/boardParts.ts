/** The parts of a board that a first visit does not need, and that a user needs soon: they are loaded while the board rests. */
import { loadPart } from '../page/loadPart.js';
import { lazy } from '../ui/Lazy.js';

export const CardDialog = lazy(() => import('../card/CardDialog.js'), 'CardDialog');
export const NumberedCard = lazy(() => import('../card/NumberedCard.js'), 'NumberedCard');
export const CardCover = lazy(() => import('../card/CardCover.js'), 'CardCover');
export const BoardChoice = lazy(() => import('../card/BoardChoice.js'), 'BoardChoice');
export const LabelDialog = lazy(() => import('../card/LabelDialog.js'), 'LabelDialog');
export const MoveDialog = lazy(() => import('./moving/MoveDialog.js'), 'MoveDialog');
export const BoardPanel = lazy(() => import('../panel/BoardPanel.js'), 'BoardPanel');
/** Of the menus of the board and of a column. */
export const WatchItem = lazy(() => import('../notifications/Watch.js'), 'WatchItem');

/** After the board is live: what a visit itself loads, and what the user does first, has the network for itself. */
const REST_MS = 1_000;
/** A page that is never idle gets them too. */
const MAX_WAIT_MS = 5_000;

interface Connection {
  readonly saveData?: boolean;
}

/** Loads them, so that a card opens without a connection too. Returns what stops it. */
export function loadPartsAtRest(): () => void {
  // Who pays for each byte loads what they open.
  if ((navigator as { readonly connection?: Connection }).connection?.saveData === true) return () => undefined;
  const begin = (): void => {
    // If the connection broke, they are loaded when the board is live again.
    loadPart(() => import('./restingParts.js'))
      .then(({ loadParts }) => loadParts([CardDialog, NumberedCard, CardCover, LabelDialog, MoveDialog, BoardChoice, WatchItem, BoardPanel]))
      .catch(console.warn);
  };
  const timer = setTimeout(() => {
    // Safari has none.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(begin, { timeout: MAX_WAIT_MS });
    else begin();
  }, REST_MS);
  return () => clearTimeout(timer);
}
