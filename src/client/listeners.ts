/** Listeners by event name. */
export class Listeners<Occasions extends object> {
  readonly #listeners = new Map<keyof Occasions, Set<(event: never) => void>>();
  readonly #targets = new Set<Listeners<Occasions>>();

  /** Returns a function that removes the listener. */
  add<Name extends keyof Occasions>(name: Name, listener: (event: Occasions[Name]) => void): () => void {
    const own = this.#listeners.get(name) ?? new Set();
    // A wrapper, so that one function can be added twice and each addition removed separately.
    const entry = (event: Occasions[Name]): void => listener(event);
    this.#listeners.set(name, own.add(entry));
    return () => own.delete(entry);
  }

  /** Passes every event on. Returns a function that ends this. */
  passTo(target: Listeners<Occasions>): () => void {
    this.#targets.add(target);
    return () => this.#targets.delete(target);
  }

  /** A listener that throws affects neither the other listeners nor the caller: its error is thrown asynchronously. */
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
    for (const target of [...this.#targets]) target.emit(name, event);
  }
}
