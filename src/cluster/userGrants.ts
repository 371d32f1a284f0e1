/**
 * The owner of the directory lets other instances use what they remember about users, for a part of its own lease. While a
 * grant runs, its holder confirms every change that it must forget before the change is answered. So no instance shows a
 * user as before an acknowledged change, also one that is cut off: its grant ends first.
 */
import type { Answer } from '../domain/answer.js';
import type { DirectoryCommand, UserGrant } from '../domain/commands/directoryCommands.js';
import { CLOCK_MARGIN } from '../domain/readLease.js';
import type { Uuid } from '../domain/ids.js';
import type { AnswerGate } from '../partitions/partitions.js';
import { MAX_PEERS } from './peers.js';

/** A change waits this long for an instance that died, and longer only for one whose clock is slow. */
const MAX_GRANT_MS = 2_000;
/** After this time a holder that has not confirmed is told again: the message may be lost. */
const REPEAT_MS = 250;

/** What a holder must forget. */
export type Forgotten = readonly Uuid[] | 'all';

export interface UserGrantsOptions {
  /** The id of this instance. */
  readonly instance: string;
  /** Whether the directory is owned here, and not being given away. */
  readonly isOwned: () => boolean;
  /** Of the lease of the directory, in milliseconds. */
  readonly leaseLeft: () => number;
  /**
   * When the grants of a predecessor have ended that did not give the directory away, and whose lease was not waited for,
   * because it ran on this folder.
   */
  readonly formerLeaseEnd: () => number;
  /** Calls `confirmed` when the instance has forgotten. */
  readonly tell: (instance: string, forgotten: Forgotten, confirmed: () => void) => { cancel(): void };
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  readonly after: (milliseconds: number, work: () => void) => void;
}

export class UserGrants implements AnswerGate {
  readonly #options: UserGrantsOptions;
  /** When the grant of each instance has surely ended. */
  readonly #ends = new Map<string, number>();
  readonly #unconfirmed = new Set<Promise<void>>();

  constructor(options: UserGrantsOptions) {
    this.#options = options;
  }

  /**
   * Notices of changes come before the answers to their commands, so an answer that shows a change waits until all holders
   * have confirmed it.
   */
  pass(command: DirectoryCommand, value: unknown): Answer<unknown> {
    if (command.op === 'users.lease') return { ms: this.#grant(command.input.instance), by: this.#options.instance } satisfies UserGrant;
    return this.#unconfirmed.size === 0 ? value : this.#allConfirmed().then(() => value);
  }

  /** The user, or a session or key of the user, has changed. */
  changed(userId: Uuid): void {
    this.#forget([userId]);
  }

  /** Before the directory is given away: its next owner does not know of the grants. */
  async revoke(): Promise<void> {
    this.#forget('all');
    this.#ends.clear();
    await this.#allConfirmed();
  }

  /** The ask has shown that the lease holds. The holder counts from the sending of its ask, which was earlier. */
  #grant(instance: string): number {
    const { isOwned, leaseLeft, now } = this.#options;
    const time = now();
    for (const [id, end] of this.#ends) if (end <= time) this.#ends.delete(id);
    if (!isOwned() || (this.#ends.size >= MAX_PEERS && !this.#ends.has(instance))) return 0;
    const ms = Math.floor(Math.min(leaseLeft(), MAX_GRANT_MS) / CLOCK_MARGIN);
    this.#ends.set(instance, Math.max(this.#ends.get(instance) ?? 0, time + ms * CLOCK_MARGIN));
    return ms;
  }

  #forget(forgotten: Forgotten): void {
    const { now, after, formerLeaseEnd } = this.#options;
    const time = now();
    for (const [instance, end] of this.#ends) if (end > time) this.#track(this.#confirmed(instance, end, forgotten));
    const wait = formerLeaseEnd() - time;
    if (wait > 0) this.#track(new Promise((resolve) => after(wait, resolve)));
  }

  #track(confirmed: Promise<void>): void {
    this.#unconfirmed.add(confirmed);
    void confirmed.then(() => this.#unconfirmed.delete(confirmed));
  }

  async #allConfirmed(): Promise<void> {
    await Promise.all(this.#unconfirmed);
  }

  /** Resolves when the instance has confirmed, or its grant has ended. */
  #confirmed(instance: string, end: number, forgotten: Forgotten): Promise<void> {
    const { now, after, tell } = this.#options;
    return new Promise((resolve) => {
      let isConfirmed = false;
      const confirmed = (): void => {
        isConfirmed = true;
        resolve();
      };
      const attempt = (): void => {
        const left = end - now();
        if (isConfirmed || left <= 0) return resolve();
        const request = tell(instance, forgotten, confirmed);
        after(Math.min(REPEAT_MS, left), () => {
          request.cancel();
          attempt();
        });
      };
      attempt();
    });
  }
}
