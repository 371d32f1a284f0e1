/** Waits for something that happens in one of the next turns of the event loop. The test's own limit ends a vain wait. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

/** Enough turns for everything that could run to have run. */
export async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}
