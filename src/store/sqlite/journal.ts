/** The writes of the open transaction, in their order. Only writes that changed the file are noted. */
export class Journal<Write> {
  #writes: Write[] = [];

  get length(): number {
    return this.#writes.length;
  }

  note(write: Write): void {
    this.#writes.push(write);
  }

  /** Forgets the writes from this place on: a part of the transaction was rolled back. */
  cut(length: number): void {
    this.#writes.length = length;
  }

  /** The writes from this place on. */
  from(index: number): readonly Write[] {
    return this.#writes.slice(index);
  }

  /** All so far. The next transaction begins without them. */
  take(): readonly Write[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }
}

/** The types exclude it, but a newer program may have made the commit. Names the operation only: values may be secret. */
export function unknownWrite(write: never): never {
  throw new Error(`a commit has a write of an unknown kind: ${JSON.stringify((write as { op: string }).op)}`);
}
