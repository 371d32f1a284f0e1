/** The one way in which tests wait for something that they do not cause in the same turn. */
import { setImmediate, setTimeout } from 'node:timers/promises';

/** NATS elects for 4 to 9 seconds after a hard loss, and on a busy machine everything takes several times as long. It ends a vain wait, and measures none. */
export const PATIENCE_MS = 90_000;
/** The first looks follow one another in turns of the event loop: most things are there at once. */
const QUICK_LOOKS = 20;
const PAUSE_MS = 10;
/**
 * The pause after a look, in its own duration: a look that asks a service would otherwise take the processor from the one
 * who is waited for. Bounded, so that a slow look on a busy machine adds no wait that is felt.
 */
const PAUSE_FOR_LOOK = 4;
const MAX_PAUSE_MS = 100;

/**
 * Polls until there is an answer. After a long time it fails with the condition and `seen`: what there is instead. `everyMs`: for
 * looks that themselves cost the one who is waited for; 0 for a look at every turn, at what is so for a few turns only.
 */
export async function until<T>(look: () => T | Promise<T>, seen?: () => unknown, everyMs?: number): Promise<Exclude<T, undefined | null | false>> {
  const late = new Error(`waited in vain for ${look.toString().replace(/\s+/g, ' ')}`);
  const deadline = performance.now() + PATIENCE_MS;
  for (let looks = 0; performance.now() < deadline; looks += 1) {
    const lookedAt = performance.now();
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, undefined | null | false>;
    const pauseMs = Math.min(MAX_PAUSE_MS, (performance.now() - lookedAt) * PAUSE_FOR_LOOK);
    const isQuick = everyMs === undefined && looks < QUICK_LOOKS && pauseMs < PAUSE_MS;
    await (isQuick || everyMs === 0 ? setImmediate() : setTimeout(everyMs ?? Math.max(PAUSE_MS, pauseMs)));
  }
  late.message += `; there is ${JSON.stringify(await seen?.(), null, 1)}`;
  throw late;
}

/** Repeats an attempt until it succeeds. After a long time its failure is thrown. */
export async function untilResolved<T>(attempt: () => Promise<T>): Promise<T> {
  let failure: unknown;
  const done = async (): Promise<{ readonly value: T } | null> => {
    try {
      return { value: await attempt() };
    } catch (error) {
      failure = error;
      return null;
    }
  };
  try {
    return (await until(done)).value;
  } catch {
    throw failure;
  }
}

/** Enough turns for everything that could run to have run. */
export async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}
