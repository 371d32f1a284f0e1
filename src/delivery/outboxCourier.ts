/**
 * Delivers membership changes from the shards' outboxes to the directory: in order, at least once, until they arrive.
 */
import type { Logger } from 'pino';
import type { DirectoryPort, MembershipChanges } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import { withDeadline } from '../partitions/deadline.js';
import type { Notice, ShardCommand, ShardName } from '../partitions/messages.js';

const RETRY_MS = 250;
/** How long an answer waits for the directory. The change is stored and will be delivered. */
const DELIVERY_DEADLINE_MS = 2_000;

export interface OutboxCourierOptions {
  readonly directory: DirectoryPort;
  /** Allows a shard to delete an outbox row. */
  readonly confirm: (shard: ShardName, command: ShardCommand) => Promise<unknown>;
  readonly log: Logger;
}

export class OutboxCourier {
  readonly #options: OutboxCourierOptions;
  /** The latest delivery of each shard; the next one starts after it. */
  readonly #lines = new Map<ShardName, Promise<void>>();
  readonly #underway = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(options: OutboxCourierOptions) {
    this.#options = options;
  }

  take({ shard, id, changes }: Notice & { kind: 'outbox' }): void {
    const name = nameOf(shard, id);
    const delivery = (this.#lines.get(shard) ?? Promise.resolve()).then(() => this.#deliver(shard, id, changes));
    this.#lines.set(shard, delivery);
    this.#underway.set(name, delivery);
    void delivery.then(() => this.#underway.delete(name));
  }

  /** Resolves when the directory has the change, or cannot be reached for now: the change itself has not failed. */
  async delivered(shard: ShardName, id: number): Promise<void> {
    const delivery = this.#underway.get(nameOf(shard, id));
    if (delivery === undefined) return;
    await withDeadline(delivery, DELIVERY_DEADLINE_MS).catch((error: unknown) => {
      this.#options.log.warn({ err: error, shard }, 'a change is answered before the directory has it');
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Never rejects: a failed delivery is retried, and after a stop the row is still in the outbox. */
  async #deliver(shard: ShardName, id: number, changes: MembershipChanges): Promise<void> {
    const { directory, confirm, log } = this.#options;
    for (let attempt = 1; !this.#stopped; attempt += 1) {
      try {
        await directory.ask('membership.apply', changes);
        // Not awaited: delivering a change twice is harmless.
        confirm(shard, { kind: 'outbox.delivered', id }).catch((error: unknown) => this.#excuse(error));
        return;
      } catch (error) {
        if (attempt === 1) log.warn({ err: error, shard }, 'a membership could not be delivered; trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #excuse(error: unknown): void {
    if (this.#stopped && error instanceof AppError) return;
    this.#options.log.warn({ err: error }, 'a delivered outbox row could not be removed and will be delivered again');
  }
}

function nameOf(shard: ShardName, id: number): string {
  return `${shard} ${id}`;
}
