/** Who wants to know what, by the name of the occasion. */
export class Listeners<Occasions extends object> {
  readonly #listeners = new Map<keyof Occasions, Set<(event: never) => void>>();

  /** The answer takes the listener off again. */
  add<Name extends keyof Occasions>(name: Name, listener: (event: Occasions[Name]) => void): () => void {
    const own = this.#listeners.get(name) ?? new Set();
    // A wrapper, so that one function may be added twice and each addition be taken back alone.
    const entry = (event: Occasions[Name]): void => listener(event);
    this.#listeners.set(name, own.add(entry));
    return () => own.delete(entry);
  }

  /** A listener that throws must neither keep the others from hearing nor disturb whoever tells: it throws alone. */
  emit<Name extends keyof Occasions>(name: Name, event: Occasions[Name]): void {
    const own = this.#listeners.get(name) as ReadonlySet<(event: Occasions[Name]) => void> | undefined;
    for (const listener of [...(own ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
