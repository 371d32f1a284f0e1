/**
 * The links between machines that a test pretends to have on this one. On machine i run an instance and nats-server i. There
 * is a relay for each route between two servers, and one from each instance to each server.
 */
import type { Test } from 'tap';
import { Relay } from './relay.js';

export interface MachinePorts {
  /** Where its nats-server accepts instances. */
  readonly clients: number;
  /** Where its nats-server accepts the other servers. */
  readonly routes: number;
}

interface Link {
  readonly from: number;
  readonly to: number;
  readonly routes: Relay;
  readonly clients: Relay;
}

export class Relays {
  readonly #links: readonly Link[];

  private constructor(links: readonly Link[]) {
    this.#links = links;
  }

  static async open(t: Pick<Test, 'teardown'>, machines: readonly MachinePorts[]): Promise<Relays> {
    const links = machines.flatMap((_, from) =>
      machines.map(async ({ clients, routes }, to) => ({
        from,
        to,
        routes: await Relay.open(t, routes),
        clients: await Relay.open(t, clients),
      })),
    );
    return new Relays(await Promise.all(links));
  }

  /** The ports by which machine `from` reaches the server of machine `to`. */
  ports(from: number, to: number): MachinePorts {
    const link = this.#links.find((each) => each.from === from && each.to === to);
    if (link === undefined) throw new Error(`there is no link from ${from} to ${to}`);
    return { clients: link.clients.port, routes: link.routes.port };
  }

  /** The link between two machines, in both directions. `a` = `b` separates an instance from the server of its machine. */
  cut(a: number, b: number): void {
    this.#cutWhere(({ from, to }) => (from === a && to === b) || (from === b && to === a));
  }

  /** The machine from all others. Its instance still reaches its own server. */
  isolate(machine: number): void {
    this.#cutWhere(({ from, to }) => (from === machine) !== (to === machine));
  }

  /** Ends the connections of the instance of a machine: what servers send it meanwhile is not kept for it. */
  disconnect(machine: number): void {
    for (const { from, clients } of this.#links) if (from === machine) clients.reset();
  }

  /** All links. */
  heal(): void {
    for (const { routes, clients } of this.#links) {
      routes.heal();
      clients.heal();
    }
  }

  #cutWhere(isCut: (link: Link) => boolean): void {
    for (const { routes, clients } of this.#links.filter(isCut)) {
      routes.cut();
      clients.cut();
    }
  }
}
