/** Who wants to know what, by the name of the occasion. */
export class Listeners<Occasions extends object> {
  readonly #listeners = new Map<keyof Occasions, Set<(news: never) => void>>();

  /** The answer takes the listener off again. */
  add<Name extends keyof Occasions>(name: Name, listener: (news: Occasions[Name]) => void): () => void {
    const own = this.#listeners.get(name) ?? new Set();
    // A wrapper, so that one function may be added twice and each addition be taken back alone.
    const entry = (news: Occasions[Name]): void => listener(news);
    this.#listeners.set(name, own.add(entry));
    return () => own.delete(entry);
  }

  /** A listener that throws must neither keep the others from hearing nor disturb whoever tells: it throws alone. */
  tell<Name extends keyof Occasions>(name: Name, news: Occasions[Name]): void {
    const own = this.#listeners.get(name) as ReadonlySet<(news: Occasions[Name]) => void> | undefined;
    for (const listener of [...(own ?? [])]) {
      try {
        listener(news);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
