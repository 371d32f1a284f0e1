/** A user on a board, present as long as one of their connections is. */
export class PresentUser {
  readonly username: string;
  /**
   * Id and expiry of each connection, alternating. An array of numbers takes 16 bytes for each further connection,
   * where objects in maps took 600; a user has few enough connections for a linear search.
   */
  #connections: number[] = [];

  constructor(username: string) {
    this.username = username;
  }

  get connections(): number {
    return this.#connections.length / 2;
  }

  get isGone(): boolean {
    return this.#connections.length === 0;
  }

  has(id: number): boolean {
    return this.#find(id) >= 0;
  }

  /** Adds the connection if it is not known. */
  keep(id: number, expiresAt: number): void {
    const at = this.#find(id);
    if (at >= 0) this.#connections[at + 1] = expiresAt;
    else this.#connections = this.#connections.concat([id, expiresAt]);
  }

  drop(id: number): boolean {
    const at = this.#find(id);
    if (at >= 0) this.#connections.splice(at, 2);
    return at >= 0;
  }

  /** Drops expired connections. Returns when the next one expires. */
  expire(now: number): number {
    let earliest = Infinity;
    for (let at = this.#connections.length - 2; at >= 0; at -= 2) {
      const expiresAt = this.#connections[at + 1] ?? 0;
      if (expiresAt <= now) this.#connections.splice(at, 2);
      else earliest = Math.min(earliest, expiresAt);
    }
    return earliest;
  }

  #find(id: number): number {
    for (let at = 0; at < this.#connections.length; at += 2) if (this.#connections[at] === id) return at;
    return -1;
  }
}
