/** Delivers changed profiles from the directory to the boards that hold a copy: at least once, until all have it. */
import type { Logger } from 'pino';
import type { BoardsPort } from '../domain/ports/boardsPort.js';
import type { DirectoryPort, PendingProfile } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { isSameProfile, type PublicUser } from '../domain/user.js';
import { withDeadline } from '../partitions/deadline.js';

const RETRY_MS = 250;
const PAGE = 20;
/** How long an answer waits for the boards. The change is stored and will reach them. */
const PATIENCE_MS = 1_000;

export interface ProfileCourierOptions {
  readonly directory: DirectoryPort;
  readonly boards: BoardsPort;
  readonly log: Logger;
}

type State = 'idle' | 'carrying' | 'carrying, and asked again' | 'stopped';

export class ProfileCourier {
  readonly #options: ProfileCourierOptions;
  #state: State = 'idle';
  /** Callers that wait for the next delivery of any profile. */
  #waiting: Array<() => void> = [];

  constructor(options: ProfileCourierOptions) {
    this.#options = options;
  }

  /** Called at the start and whenever a profile changed. */
  wake(): void {
    if (this.#state === 'idle') {
      this.#state = 'carrying';
      void this.#carryAll();
    } else if (this.#state === 'carrying') {
      this.#state = 'carrying, and asked again';
    }
  }

  stop(): void {
    this.#state = 'stopped';
    this.#release();
  }

  /**
   * Resolves when all boards have the user's change, or cannot be reached for now: the change itself has not failed.
   */
  async told(userId: Uuid): Promise<void> {
    try {
      await withDeadline(this.#untilTold(userId), PATIENCE_MS);
    } catch (error) {
      this.#options.log.debug({ err: error }, 'a changed profile is answered before all boards have it');
    }
  }

  /** Ends at the deadline of `told`, so that it does not ask on for a caller that has gone. */
  async #untilTold(userId: Uuid): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
      if (this.#state === 'idle' || this.#state === 'stopped') return;
      // Before the question, so that a delivery between question and answer is not missed.
      const next = this.#nextDelivery();
      if (!(await this.#options.directory.ask('profile.isPending', { user_id: userId }))) return;
      await next;
    }
  }

  #nextDelivery(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #carryAll(): Promise<void> {
    for (let failures = 0; this.#state !== 'stopped'; ) {
      try {
        await this.#carryRound();
        failures = 0;
        if (this.#finish()) return;
      } catch (error) {
        if (this.#isStopped()) return;
        failures += 1;
        if (failures === 1) this.#options.log.warn({ err: error }, 'a profile could not be delivered; trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /**
   * Delivers each pending profile once, including those that are added meanwhile. Throws the first failure at the end.
   */
  async #carryRound(): Promise<void> {
    const failures: unknown[] = [];
    for (let after = 0; !this.#isStopped(); ) {
      const page = await this.#options.directory.ask('profile.pending', { after, limit: PAGE });
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.id;
      await forEachInTurn(page, (profile) => this.#carry(profile)).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #carry({ id, user, board_ids }: PendingProfile): Promise<void> {
    const { directory } = this.#options;
    for (let carried = user; ; ) {
      await forEachInTurn(board_ids, (target) => this.#deliver(target, carried));
      // While the directory moves, the next owner's courier may have delivered a newer profile, which this one
      // overwrote.
      const current = await directory.ask('user.get', { id: user.id });
      if (current === null || isSameProfile(current, carried)) break;
      carried = current;
    }
    await directory.ask('profile.delivered', { id });
    this.#release();
  }

  async #deliver(target: Uuid, user: PublicUser): Promise<void> {
    const outcome = await this.#options.boards.ask({ op: 'member.refresh', caller: 'system', target, input: { user } });
    // A missing board needs no refresh.
    if (!outcome.ok && outcome.error.code !== 'not_found') throw AppError.from(outcome.error);
  }

  /** False if `wake` was called during the last round. */
  #finish(): boolean {
    const again = this.#state === 'carrying, and asked again';
    if (this.#state !== 'stopped') this.#state = again ? 'carrying' : 'idle';
    if (!again) this.#release();
    return !again;
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }
}

/**
 * One after another, so that a user of many boards does not wake them all at once. A failure does not stop the rest and
 * is thrown at the end.
 */
async function forEachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
