/**
 * The NATS servers to try, one after another. Servers of a NATS cluster name the others; those are remembered, so that the
 * connection survives the server that the settings name.
 */

/** Bounds what a server can make us remember. */
const MAX_SERVERS = 64;

export class NatsServers {
  /** Addresses as in the settings, then those that were named. */
  readonly #urls: string[];
  #next = 0;

  constructor(urls: readonly string[]) {
    this.#urls = [...urls];
  }

  /** The address for the next attempt. */
  next(): string {
    const url = this.#urls[this.#next % this.#urls.length];
    if (url === undefined) throw new Error('there is no NATS server to connect to');
    this.#next = (this.#next + 1) % this.#urls.length;
    return url;
  }

  /** `hosts`: what the server at `url` named, with ports. They take the same scheme and credentials. */
  learn(url: string, hosts: readonly string[]): void {
    const known = new Set(this.#urls.map((each) => new URL(each).host));
    for (const host of hosts) {
      const named = new URL(url);
      named.host = host;
      if (known.has(named.host) || this.#urls.length >= MAX_SERVERS) continue;
      known.add(named.host);
      this.#urls.push(named.href);
    }
  }
}
