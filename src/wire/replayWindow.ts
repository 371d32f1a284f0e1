/**
 * Numbers of messages that came already. Each is accepted once; messages may overtake each other by as much as the window
 * is wide, because a sender that reconnects takes another way.
 */
const WIDTH = 65_536;
const WORD_BITS = 32;

export class ReplayWindow {
  readonly #seen = new Uint32Array(WIDTH / WORD_BITS);
  #highest = 0;

  get highest(): number {
    return this.#highest;
  }

  /** False for a number that came before, or may have. */
  accept(number: number): boolean {
    if (!Number.isSafeInteger(number) || number <= this.#highest - WIDTH || number < 1) return false;
    this.#moveTo(number);
    const place = number % WIDTH;
    const word = Math.floor(place / WORD_BITS);
    const bit = 1 << (place % WORD_BITS);
    const seen = this.#seen[word] ?? 0;
    this.#seen[word] = seen | bit;
    return (seen & bit) === 0;
  }

  /** The places of the numbers in between belonged to numbers that are out of the window now. */
  #moveTo(number: number): void {
    if (number - this.#highest >= WIDTH) this.#seen.fill(0);
    else {
      for (let between = this.#highest + 1; between <= number; between += 1) {
        const place = between % WIDTH;
        const word = Math.floor(place / WORD_BITS);
        this.#seen[word] = (this.#seen[word] ?? 0) & ~(1 << (place % WORD_BITS));
      }
    }
    this.#highest = Math.max(this.#highest, number);
  }
}
