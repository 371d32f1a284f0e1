/** While the page is printed, it has every card: paper does not scroll. */
import { signal } from '@preact/signals';
import { flushSync } from 'preact/compat';

export const isPrinting = signal(false);

/** At once: the browser prints when the event is over. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => flushSync(() => (isPrinting.value = true)));
  addEventListener('afterprint', () => (isPrinting.value = false));
}
