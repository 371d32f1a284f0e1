/** Carries changed profiles from the directory to the boards that keep a copy: at least once, until all have it. */
import type { Logger } from 'pino';
import type { BoardsPort } from '../domain/boardsPort.js';
import type { DirectoryPort, PendingProfile } from '../domain/directoryCommands.js';
import { AppError } from '../domain/errors.js';

const RETRY_MS = 250;
const PAGE = 20;

export interface ProfileCourierOptions {
  readonly directory: DirectoryPort;
  readonly boards: BoardsPort;
  readonly log: Logger;
}

type State = 'idle' | 'carrying' | 'carrying, and asked again' | 'stopped';

export class ProfileCourier {
  readonly #options: ProfileCourierOptions;
  #state: State = 'idle';

  constructor(options: ProfileCourierOptions) {
    this.#options = options;
  }

  /** There may be something to carry: at the start, and whenever a profile changed. */
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
  }

  async #carryAll(): Promise<void> {
    const { directory, log } = this.#options;
    while (this.#state !== 'stopped') {
      try {
        const pending = await directory.ask('profile.pending', { limit: PAGE });
        for (const profile of pending) await this.#carry(profile);
        if (pending.length > 0) continue;
        if (this.#finish()) return;
      } catch (error) {
        if (this.#isStopped()) return;
        log.warn({ err: error }, 'boards could not be told of a changed profile; trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #carry({ id, user, board_ids }: PendingProfile): Promise<void> {
    const { directory, boards } = this.#options;
    for (const target of board_ids) {
      const outcome = await boards.ask({ op: 'member.refresh', asker: 'system', target, input: { user } });
      // A board that is gone needs no refreshing.
      if (!outcome.ok && outcome.error.code !== 'not_found') throw AppError.from(outcome.error);
    }
    await directory.ask('profile.delivered', { id });
  }

  /** False when someone called while the last look was under way. */
  #finish(): boolean {
    const again = this.#state === 'carrying, and asked again';
    if (this.#state !== 'stopped') this.#state = again ? 'carrying' : 'idle';
    return !again;
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }
}
