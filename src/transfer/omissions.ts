/** A longer list is of no use, and an answer must not grow with its request. */
const MAX_NOTES = 200;

/** Sentences about what did not fit into the new board, for the importing user. */
export class Omissions {
  readonly #notes: string[] = [];
  #more = 0;

  note(sentence: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(sentence);
    else this.#more += 1;
  }

  /** One sentence for many things of a kind; nothing if there are none. */
  count(things: number, sentence: (things: string) => string, [one, many]: readonly [one: string, many: string]): void {
    if (things > 0) this.note(sentence(`${things} ${things === 1 ? one : many}`));
  }

  get notes(): readonly string[] {
    return this.#more === 0 ? this.#notes : [...this.#notes, `… and ${this.#more} more.`];
  }
}
