/** While the page is printed, it has every card: paper does not scroll. */
import { signal } from '@preact/signals';
import { options } from 'preact';

export const isPrinting = signal(false);

/** At once: the browser prints when the event is over. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => renderNow(() => (isPrinting.value = true)));
  addEventListener('afterprint', () => (isPrinting.value = false));
}

function renderNow(change: () => void): void {
  let render = (): void => {};
  options.debounceRendering = (scheduled) => (render = scheduled);
  change();
  delete options.debounceRendering;
  render();
}
