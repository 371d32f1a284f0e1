import type { Test } from 'tap';

const NEVER_MS = 2 ** 30;

/** Periodic work runs only when the returned function is called. */
export function takeOverIntervals(t: Test): () => void {
  const works: Array<() => void> = [];
  const realSetInterval = globalThis.setInterval;
  t.intercept(globalThis, 'setInterval', {
    value: (work: () => void) => {
      works.push(work);
      return realSetInterval(() => undefined, NEVER_MS);
    },
  });
  return () => works.forEach((work) => work());
}
