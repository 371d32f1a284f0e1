/**
 * The owner of a directory of one user and two instances that remember the user, in virtual time. Links are cut, messages are
 * lost and late, clocks run at different rates, and the directory changes its owner. Each answer must show what was
 * acknowledged before it was asked for.
 */
import { Callers } from '../../../src/auth/callers.js';
import { createTokens } from '../../../src/auth/tokens.js';
import { UserGrants, type Forgotten } from '../../../src/cluster/userGrants.js';
import { UserTrust } from '../../../src/cluster/userTrust.js';
import type { DirectoryCommand, DirectoryPort, UserGrant } from '../../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../../src/domain/errors.js';
import { VirtualTime } from '../log/virtualTime.js';
import { publicUser } from '../publicUser.js';

export interface UserClasses {
  readonly UserGrants: typeof UserGrants;
  readonly UserTrust: typeof UserTrust;
}

export interface UserWorldResult {
  readonly problems: readonly string[];
  readonly reads: number;
  /** Of them, those that nobody was asked for. */
  readonly remembered: number;
  readonly refused: number;
  readonly changes: number;
}

const USER = publicUser('ann');
const LEASE_MS = 2_000;
const ANSWER_MS = 1_000;
const MARGIN = 1.1;

const tokens = createTokens({ secret: 'x'.repeat(32), algorithm: 'HS256', lifetimeSeconds: 3_600, audience: 'tests' });

export async function simulateUsers(
  random: () => number,
  milliseconds: number,
  classes: UserClasses = { UserGrants, UserTrust },
): Promise<UserWorldResult> {
  const token = await tokens.issue(USER.id);
  // Later it is known, and nothing waits in real time.
  await tokens.verify(token);
  const world = new World(random, classes);
  const holders = ['one', 'two'].map((name) => new Holder(name, world, token));
  world.holders.push(...holders);
  while (world.time.now < milliseconds) {
    await world.time.runUntil(world.time.now + 1 + 40 * random());
    const holder = holders[random() < 0.5 ? 0 : 1];
    const fate = random();
    if (fate < 0.01) holder?.cut(500 + 4_000 * random());
    else if (fate < 0.014) world.giveAway();
    else if (fate < 0.018) world.restart();
    else if (fate < 0.1) void world.change();
    else if (fate < 0.14) await world.time.runUntil(world.time.now + 3_000 * random());
    else void holder?.read();
  }
  await world.time.runUntil(world.time.now + 10_000);
  return world.result;
}

class World {
  readonly time = new VirtualTime();
  readonly random: () => number;
  readonly holders: Holder[] = [];
  readonly #classes: UserClasses;
  #grants: UserGrants;
  #leaseEnd = 0;
  #owners = 0;
  /** The owner gives the directory away. */
  #isClosing = false;
  #version = 0;
  acknowledged = 0;
  readonly result = { problems: [] as string[], reads: 0, remembered: 0, refused: 0, changes: 0 };

  constructor(random: () => number, classes: UserClasses) {
    this.random = random;
    this.#classes = classes;
    this.#grants = this.#newOwner(0);
  }

  get classes(): UserClasses {
    return this.#classes;
  }

  /** An ask of another instance. Each way takes time, and may end nowhere. */
  async ask(holder: Holder, command: DirectoryCommand): Promise<unknown> {
    const { time } = this;
    return new Promise((resolve, reject) => {
      time.after(ANSWER_MS, () => reject(new AppError('unavailable', 'no answer')));
      holder.send(() => {
        if (this.#isClosing) return;
        this.#ask(command).then((value) => holder.send(() => resolve(value)), reject);
      });
    });
  }

  async change(): Promise<void> {
    if (this.#isClosing) return;
    this.#version += 1;
    const version = this.#version;
    this.#grants.changed(USER.id);
    await this.#ask({ op: 'user.update', input: { id: USER.id, now: '', changes: {} } });
    this.acknowledged = Math.max(this.acknowledged, version);
    this.result.changes += 1;
  }

  giveAway(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    void this.#grants.revoke().then(() => {
      this.#grants = this.#newOwner(0);
      this.#isClosing = false;
    });
  }

  /** The owner dies, and its folder has a new process at once, which holds its locks and does not wait. */
  restart(): void {
    if (this.#isClosing) return;
    this.#grants = this.#newOwner(this.time.now + LEASE_MS * MARGIN);
  }

  /** As `Partitions` does for the owner. */
  async #ask(command: DirectoryCommand): Promise<unknown> {
    const grants = this.#grants;
    const value = await this.#answer(command);
    return grants.pass(command, value);
  }

  async #answer(command: DirectoryCommand): Promise<unknown> {
    const { time } = this;
    const version = this.#version;
    if (command.op === 'users.lease' && this.#leaseEnd - time.now < LEASE_MS / 3) this.#leaseEnd = time.now + LEASE_MS;
    return { ...USER, firstname: String(version) };
  }

  #newOwner(formerLeaseEnd: number): UserGrants {
    const { time } = this;
    this.#leaseEnd = 0;
    this.#owners += 1;
    return new this.#classes.UserGrants({
      instance: `owner ${this.#owners}`,
      isOwned: () => !this.#isClosing,
      leaseLeft: () => Math.max(0, this.#leaseEnd - time.now),
      formerLeaseEnd: () => formerLeaseEnd,
      tell: (instance, forgotten, confirmed) => {
        const holder = this.holders.find(({ name }) => name === instance);
        holder?.send(() => {
          holder.forget(forgotten);
          holder.send(confirmed);
        });
        return { cancel: () => undefined };
      },
      now: () => time.now,
      after: (ms, work) => time.after(ms, work),
    });
  }
}

class Holder {
  readonly name: string;
  readonly #world: World;
  readonly #token: string;
  readonly #callers: Callers;
  readonly #trust: UserTrust;
  #cutUntil = 0;
  #asked = 0;

  constructor(name: string, world: World, token: string) {
    this.name = name;
    this.#world = world;
    this.#token = token;
    const [rate, offset] = [0.96 + 0.08 * world.random(), 1_000_000 * world.random()];
    const now = (): number => offset + world.time.now * rate;
    const ask = (op: string, input: object): Promise<unknown> => {
      this.#asked += op === 'user.get' ? 1 : 0;
      return world.ask(this, { op, input } as DirectoryCommand);
    };
    this.#trust = new world.classes.UserTrust({
      ownLeaseEnd: () => 0,
      ask: () => ask('users.lease', { instance: name }) as Promise<UserGrant>,
      onLapse: () => this.#callers.doubtAll(),
      now,
    });
    this.#callers = new Callers(tokens, { ask } as unknown as DirectoryPort, this.#trust);
  }

  cut(milliseconds: number): void {
    this.#cutUntil = this.#world.time.now + milliseconds;
  }

  send(arrive: () => void): void {
    const { time, random } = this.#world;
    if (time.now < this.#cutUntil || random() < 0.02) return;
    time.after(random() < 0.05 ? 900 * random() : 10 * random(), () => {
      if (time.now >= this.#cutUntil) arrive();
    });
  }

  forget(forgotten: Forgotten): void {
    if (forgotten !== 'all') return forgotten.forEach((id) => this.#callers.forget(id));
    this.#trust.revoke();
    this.#callers.doubtAll();
  }

  async read(): Promise<void> {
    const { acknowledged, result, time } = this.#world;
    const [startedAt, asked] = [time.now, this.#asked];
    try {
      const { user } = await this.#callers.identify(this.#token);
      result.reads += 1;
      if (this.#asked === asked) result.remembered += 1;
      const shown = Number(user.firstname);
      if (shown < acknowledged) result.problems.push(`${this.name} at ${Math.round(startedAt)}: ${shown}, and ${acknowledged} was acknowledged`);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      result.refused += 1;
    }
  }
}
