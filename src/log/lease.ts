/**
 * Until when an owner may answer reads from memory. A record of the owner renews it, counted from the sending of its
 * first attempt. A successor saw that record later than it was sent, and waits longer than a lease before it claims.
 */
export class Lease {
  readonly #onChange: (endsAt: number) => void;
  /** As the record of ownership says. 0: every batch that reads needs a record. */
  #milliseconds = 0;
  #endsAt = 0;

  constructor(onChange: (endsAt: number) => void = () => undefined) {
    this.#onChange = onChange;
  }

  renew(sentAt: number, milliseconds: number): void {
    this.#milliseconds = milliseconds;
    this.#set(Math.max(this.#endsAt, sentAt + milliseconds));
  }

  end(): void {
    this.#set(0);
  }

  holds(now: number): boolean {
    return now < this.#endsAt;
  }

  /** Whether less than a third of it is left. */
  isShort(now: number): boolean {
    return now >= this.#endsAt - this.#milliseconds / 3;
  }

  #set(endsAt: number): void {
    this.#endsAt = endsAt;
    this.#onChange(endsAt);
  }
}
