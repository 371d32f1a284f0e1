/** A machine that lost contact is read all the time, while others acknowledge changes. */
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();

/** Of the first machine; the others wait for what its records say, and not for their own. */
const LONG_LEASE_MS = 4_000;
const SHORT_LEASE_MS = 500;
/** Of each value: many times within the lease, after which a stale read would be seen. */
const READ_EVERY_MS = 50;
/** Of each value, so that changes leave the processor to the reads. */
const PAUSE_BETWEEN_CHANGES_MS = 20;
const MAX_READING = 40;
/** Of each, after which contact was surely lost. */
const CHANGES = 3;

/** Servers elect, and instances start, more slowly on a busy machine. */

/** One value that is changed through one machine and read through another. */
class Watched {
  readonly stale: string[] = [];
  readonly reads = { fresh: 0, refused: 0, waiting: 0 };
  acknowledged: number;
  readonly #read: () => Promise<number | null>;
  readonly #change: (value: number) => Promise<boolean>;

  /** `first`: what it is before. */
  constructor(first: number, read: () => Promise<number | null>, change: (value: number) => Promise<boolean>) {
    this.acknowledged = first;
    this.#read = read;
    this.#change = change;
  }

  /** Requests that hang do not keep others waiting, up to a bound. */
  async readUntil(isOver: () => boolean): Promise<void> {
    const reading = new Set<Promise<void>>();
    while (!isOver()) {
      if (reading.size < MAX_READING) {
        const answered: Promise<void> = this.#readOnce().finally(() => reading.delete(answered));
        reading.add(answered);
      }
      this.reads.waiting = reading.size;
      await setTimeout(READ_EVERY_MS);
    }
    await Promise.all(reading);
  }

  async #readOnce(): Promise<void> {
    const { acknowledged } = this;
    const shown = await this.#read();
    if (shown === null) this.reads.refused += 1;
    else if (shown < acknowledged) this.stale.push(`${shown}, and ${acknowledged} was acknowledged`);
    else this.reads.fresh += 1;
  }

  async change(): Promise<void> {
    const value = this.acknowledged + 1;
    await until(() => this.#change(value));
    this.acknowledged = value;
  }
}

t.test('REPLICA2 a machine that lost contact never shows what was before an acknowledged change', { skip: skipWithout(nats) }, async (t) => {
  const machines = await Machines.prepare(t, pathOf(nats), { SHARDS: '5' });
  const start = async (number: number, leaseMs: number): Promise<void> => {
    // Only its own server, so that one cut separates the instance and no log needs a new leader.
    const NATS_URL = machines.nats.urlsFrom(number)[0] ?? '';
    await machines.startInstance(number, { NATS_URL, READ_LEASE_MS: String(leaseMs) });
  };
  await Promise.all([0, 1, 2].map((number) => start(number, LONG_LEASE_MS)));
  await machines.settled();
  const owner = await ownerOf(machines, 'directory');
  // They succeed the owner, and are set to less than it has.
  const [other, third] = [(owner + 1) % 3, (owner + 2) % 3];
  for (const number of [other, third]) {
    await machines.service(number).stop();
    await start(number, SHORT_LEASE_MS);
  }
  await machines.settled();
  t.equal(await ownerOf(machines, 'directory'), owner);
  const { token } = await newUser(machines.api(owner), { firstname: '0' });
  const boards = await Promise.all(
    Array.from(
      { length: 10 },
      async () => (await machines.api(owner).request<{ id: string }>('POST', '/boards', { token, json: { title: '0' } })).body.id,
    ),
  );
  await loseContact(t, machines, { first: 0, cut: third, through: other, token, boards });
  t.equal(await ownerOf(machines, 'directory'), owner);
  const first = 1_000;
  for (const [path, name] of [['/auth/me', 'firstname'], ...boards.map((id) => [`/boards/${id}`, 'title'] as const)] as const) {
    t.equal((await machines.api(owner).request('PATCH', path, { token, json: { [name]: String(first) } })).status, 200);
  }
  await loseContact(t, machines, { first, cut: owner, through: other, token, boards });
});

interface LostContact {
  /** What everything is before. */
  readonly first: number;
  /** The machine that is cut off and read. */
  readonly cut: number;
  /** The one by which changes are made. */
  readonly through: number;
  readonly token: string;
  readonly boards: readonly string[];
}

async function loseContact(t: Test, machines: Machines, { first, cut, through, token, boards }: LostContact): Promise<void> {
  const watch = (path: string, name: string): Watched =>
    new Watched(
      first,
      async () => {
        const { status, body } = await machines.api(cut).request<Record<string, string>>('GET', path, { token });
        return status === 200 ? Number(body[name]) : null;
      },
      async (value) => (await machines.api(through).request('PATCH', path, { token, json: { [name]: String(value) } })).status === 200,
    );
  const me = watch('/auth/me', 'firstname');
  const watched = [me, ...boards.map((id) => watch(`/boards/${id}`, 'title'))];
  let isOver = false;
  const readers = watched.map((each) => each.readUntil(() => isOver));
  await Promise.all(watched.map((each) => until(async () => each.reads.fresh > 5)));
  machines.nats.links.cut(cut, cut);
  const changing = watched.map(async (each) => {
    while (!isOver) {
      await each.change();
      await setTimeout(PAUSE_BETWEEN_CHANGES_MS);
    }
  });
  await Promise.all(watched.map((each) => until(async () => each.acknowledged > first + CHANGES && each.reads.waiting + each.reads.refused > 0)));
  isOver = true;
  machines.nats.links.heal();
  await Promise.all([...readers, ...changing]);
  for (const [index, { stale, reads, acknowledged }] of watched.entries()) {
    t.strictSame(stale.slice(0, 3), [], `${index === 0 ? 'the user' : `board ${index}`}: ${JSON.stringify(reads)}, ${acknowledged} changes`);
  }
  await machines.settled();
  const shown = await until(async () => (await machines.api(cut).request<{ firstname?: string }>('GET', '/auth/me', { token })).body.firstname);
  t.equal(shown, String(me.acknowledged), 'then it shows everything');
}

async function ownerOf(machines: Machines, partition: 'directory'): Promise<number> {
  const { replicated = [], instances } = await machines.overview(0);
  const id = replicated.find((each) => each.partition === partition)?.owner;
  const url = instances.find((instance) => instance.id === id)?.url;
  return machines.all.findIndex(({ service }) => service?.url === url);
}
