/**
 * Until when an owner may answer reads from memory. A record of the owner renews it, counted from the sending of its
 * first attempt. A successor saw that record later than it was sent, and waits longer than a lease before it claims.
 */
export class Lease {
  readonly #milliseconds: number;
  readonly #onChange: (endsAt: number) => void;
  #endsAt = 0;

  /** With 0 milliseconds there is no lease: every batch that reads needs a record. */
  constructor(milliseconds: number, onChange: (endsAt: number) => void = () => undefined) {
    this.#milliseconds = milliseconds;
    this.#onChange = onChange;
  }

  renew(sentAt: number): void {
    this.#set(Math.max(this.#endsAt, sentAt + this.#milliseconds));
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

  /** Whether the lease of an owner whose last record was seen then has ended, by a clock that runs up to a tenth faster or slower. */
  hasEnded(seenAt: number, now: number): boolean {
    return now - seenAt > this.#milliseconds * 1.1;
  }

  #set(endsAt: number): void {
    this.#endsAt = endsAt;
    this.#onChange(endsAt);
  }
}
