/** Where the focus goes when what has it is deleted: to what stands in its place then, not to the beginning of the page. */

/** A row may go only after the service has answered. */
const PATIENCE_MS = 5_000;
const STEP_MS = 40;
const ROW = 'li, [data-column-id], [data-checklist-id]';
/** In the order of preference: the main thing of a row, or any control. */
const MAIN = ['.card-title', '[data-column-grip]', '[data-item-grip]', 'a.tile-title', 'button:not(:disabled), input, select, a[href]'];
/** Beside a list that is empty now. */
const BESIDE = '.add-card, [data-new-item], [data-add-column], input:not([type=file]), select, button:not(:disabled)';

/** Called before the deletion, with something in the row that goes. */
export function keepFocusAfterRemoval(within: Element | null): void {
  const row = within?.closest(ROW) ?? null;
  const around = row?.parentElement?.closest('.column, section, form, dialog, main') ?? null;
  if (row === null) return;
  const siblings = [row.nextElementSibling, row.previousElementSibling].filter((each) => each?.matches(ROW) === true);
  const until = performance.now() + PATIENCE_MS;
  const follow = (): void => {
    const { activeElement } = document;
    const isNowhere = activeElement === null || activeElement === document.body;
    // A dialog that is about to close has the focus, and keeps it from everything else.
    const isClosing = activeElement?.closest('dialog')?.contains(row) === false;
    if (!row.isConnected && !isNowhere && !isClosing) return;
    if (!row.isConnected && isNowhere) {
      const target = siblings.map(mainOf).find((each) => each?.isConnected === true) ?? besideOf(around);
      target?.focus();
      if (document.activeElement === target) return;
    }
    if (performance.now() < until) setTimeout(follow, STEP_MS);
  };
  setTimeout(follow);
}

function mainOf(row: Element | null): HTMLElement | null {
  for (const selector of MAIN) {
    const found = row?.querySelector<HTMLElement>(selector);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}

function besideOf(around: Element | null): HTMLElement | null {
  return around?.querySelector<HTMLElement>(BESIDE) ?? document.querySelector<HTMLElement>('.columns');
}
