/**
 * Runs `step` for each item: the next one when the last has called `next`, now or later. A loop where steps end at once,
 * so that a long list does not become a deep stack. A step that does not call `next` ends the run.
 */
export function oneByOne<Item>(items: Iterable<Item>, step: (item: Item, next: () => void) => void, ended: () => void): void {
  const iterator = items[Symbol.iterator]();
  let isLooping = false;
  let isDue = false;
  const next = (): void => {
    isDue = true;
    if (isLooping) return;
    isLooping = true;
    while (isDue) {
      isDue = false;
      const item = iterator.next();
      if (item.done === true) ended();
      else step(item.value, next);
    }
    isLooping = false;
  };
  next();
}
