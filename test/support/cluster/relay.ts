/**
 * Forwards TCP connections to a port on this machine, and can behave like a lost link: while it is cut, no byte and no end
 * of a connection passes, and both sides see an open, silent connection. When it heals, what was sent meanwhile arrives, as
 * TCP repeats it on a real network.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

export class Relay {
  readonly #server: Server;
  readonly #target: number;
  readonly #forwarded = new Set<Forwarded>();
  /** Accepted while cut: to their clients they look like servers that do not answer. */
  readonly #held = new Set<Socket>();
  #state: 'open' | 'cut' = 'open';

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => this.#accept(near));
  }

  /** Nothing needs to listen at `target` yet. */
  static async open(t: Pick<Test, 'teardown'>, target: number): Promise<Relay> {
    const relay = new Relay(target);
    t.teardown(() => relay.#close());
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#state = 'cut';
    for (const connection of this.#forwarded) connection.hold();
  }

  heal(): void {
    if (this.#state === 'open') return;
    this.#state = 'open';
    for (const connection of this.#forwarded) connection.release();
    const held = [...this.#held];
    this.#held.clear();
    for (const near of held) this.#forward(near);
  }

  /** Ends all connections, as when a side has died. New ones are possible. */
  reset(): void {
    for (const connection of [...this.#forwarded]) connection.destroy();
  }

  #accept(near: Socket): void {
    if (this.#state === 'open') return this.#forward(near);
    this.#held.add(near);
    // An error is followed by `close`.
    near.on('error', () => undefined).once('close', () => this.#held.delete(near));
  }

  #forward(near: Socket): void {
    const connection = new Forwarded(near, connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true }));
    this.#forwarded.add(connection);
    connection.onEnd(() => this.#forwarded.delete(connection));
  }

  #close(): void {
    this.#server.close();
    for (const near of this.#held) near.destroy();
    for (const connection of this.#forwarded) connection.destroy();
  }
}

/** One connection, as two sockets. */
class Forwarded {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #waiting = new Set<Socket>();
  readonly #endListeners: Array<() => void> = [];
  #state: 'flowing' | 'held' = 'flowing';

  constructor(near: Socket, far: Socket) {
    this.#near = near;
    this.#far = far;
    for (const socket of [near, far]) socket.setNoDelay(true);
    this.#pass(near, far);
    this.#pass(far, near);
    near.resume();
  }

  onEnd(listener: () => void): void {
    this.#endListeners.push(listener);
  }

  hold(): void {
    this.#state = 'held';
    for (const socket of [this.#near, this.#far]) socket.pause();
  }

  release(): void {
    this.#state = 'flowing';
    if (this.#near.destroyed || this.#far.destroyed) return this.destroy();
    for (const socket of [this.#near, this.#far]) {
      if (!this.#waiting.has(socket)) socket.resume();
    }
  }

  /** With a reset, as when one side has died. */
  destroy(): void {
    for (const socket of [this.#near, this.#far]) socket.resetAndDestroy();
    for (const listener of this.#endListeners.splice(0)) listener();
  }

  #pass(from: Socket, to: Socket): void {
    from.on('data', (bytes: Buffer) => {
      if (to.write(bytes)) return;
      this.#waiting.add(from);
      from.pause();
    });
    to.on('drain', () => {
      this.#waiting.delete(from);
      if (this.#state === 'flowing') from.resume();
    });
    from.on('end', () => to.end());
    // An error is followed by `close`.
    from.on('error', () => undefined);
    from.on('close', () => {
      if (this.#state === 'flowing' && (from.errored !== null || to.destroyed)) this.destroy();
    });
  }
}
