/** Waiting that a signal can end. */
import type { Clock } from './clock.js';

/** The promise, or a rejection as soon as the signal aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export async function wait(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: unknown;
  const passed = new Promise<void>((resolve) => {
    timer = clock.set(resolve, milliseconds);
  });
  await untilAborted(passed, signal).finally(() => clock.clear(timer));
}

/** A signal that aborts with the first of these. */
export function abortedBy(...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
