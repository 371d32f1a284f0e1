/** Where the focus goes when what has it is deleted: to what stands in its place then, not to the beginning of the page. */

/** A row may go only after the service has answered. */
const PATIENCE_MS = 5_000;
const STEP_MS = 40;
const ROW = 'li, [data-column-id], [data-checklist-id], .card-lost';
const AROUND = '.column, section, form, dialog, main';
/** Where the focus waits if nothing better is known. */
const SOMEWHERE = '.columns, main';
/** In the order of preference: the main thing of a row, or any control. */
const MAIN = ['.card-title', '[data-column-grip]', '[data-item-grip]', 'a.tile-title', 'button:not(:disabled), input, select, a[href]'];
/** Beside a list that is empty now. */
const BESIDE = '.add-card, [data-new-item], [data-add-column], input:not([type=file]), select, button:not(:disabled)';

/** Called before the deletion, with something in the row that goes. */
export function keepFocusAfterRemoval(within: Element | null): void {
  const row = within?.closest(ROW) ?? null;
  const around = row?.parentElement?.closest(AROUND) ?? null;
  if (row === null) return;
  const siblings = [row.nextElementSibling, row.previousElementSibling].filter((each) => each?.matches(ROW) === true);
  const until = performance.now() + PATIENCE_MS;
  const follow = (): void => {
    const { activeElement } = document;
    const isNowhere = hasFocusNowhere();
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

/** When the next rendering takes away what has the focus. A user who went elsewhere meanwhile stays there. */
export function focusInstead(find: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    if (hasFocusNowhere()) find()?.focus();
  });
}

/**
 * For everything that goes while it has the focus, whoever removed it: the next row of its list, the one before, what is
 * beside it, or what had the focus before a dialog or notice. Code that knows better moves the focus first.
 */
export function followFocus(): void {
  let latest: Element | null = null;
  let beforeNotices: EventTarget | null = null;
  document.addEventListener('focusin', ({ target, relatedTarget }) => {
    if (!(target instanceof Element)) return;
    if (isNotice(target) && !isNotice(relatedTarget)) beforeNotices = relatedTarget;
    latest = target;
  });
  const observer = new MutationObserver((records) => {
    if (latest === null || latest.isConnected || !hasFocusNowhere()) return;
    const record = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(latest)));
    if (record === undefined) return;
    const wasNotice = isNotice(record.target);
    latest = null;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!hasFocusNowhere()) return;
        const target = wasNotice && beforeNotices instanceof HTMLElement && beforeNotices.isConnected ? beforeNotices : placeAfter(record);
        if (target === null) return;
        if (target.matches('main')) target.tabIndex = -1;
        target.focus({ preventScroll: true });
      }),
    );
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

function placeAfter({ target, removedNodes, nextSibling, previousSibling }: MutationRecord): HTMLElement | null {
  const parent = target instanceof Element && target.isConnected ? target : null;
  const removed = [...removedNodes].filter((node) => node instanceof Element);
  const near = [nextSibling, previousSibling].filter((node) => node instanceof Element && node.isConnected && node.matches(ROW));
  const isRow = removed.some((node) => node.matches(ROW));
  const beside = isRow ? near.map((node) => mainOf(node as Element)).find((found) => found !== null) : mainOf(parent?.closest(ROW) ?? null);
  if (beside !== undefined && beside !== null) return beside;
  const around = parent?.closest(AROUND) ?? null;
  const writing = isRow ? null : parent?.closest('.comment-field, form')?.querySelector<HTMLElement>('textarea, input');
  const control = writing ?? around?.querySelector<HTMLElement>(BESIDE) ?? around?.querySelector<HTMLElement>('a[href]') ?? null;
  // A screen that gives way to another one is no removal, but a dialog may have been the last thing that knew a place.
  return control ?? (isNotice(target) || removed.some((node) => node.matches('dialog')) ? anywhere() : null);
}

function isNotice(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.notices') !== null;
}

/** Where the focus waits counts as nowhere: code that knows a better place moves it there later. */
export function hasFocusNowhere(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.matches(SOMEWHERE);
}

function mainOf(row: Element | null): HTMLElement | null {
  for (const selector of MAIN) {
    const found = row?.querySelector<HTMLElement>(selector);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}

function besideOf(around: Element | null): HTMLElement | null {
  return (around?.isConnected === true ? around.querySelector<HTMLElement>(BESIDE) : null) ?? anywhere();
}

/** Behind an open dialog nothing can have the focus. */
function anywhere(): HTMLElement | null {
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (dialog === undefined) return document.querySelector<HTMLElement>('.columns') ?? document.querySelector('main');
  return dialog.querySelector('[role=tabpanel]')?.querySelector<HTMLElement>(BESIDE) ?? dialog.querySelector<HTMLElement>('button');
}
