/**
 * Delivers what commits left for elsewhere. A partition publishes its outbox entries, and those that are undelivered
 * when it opens; the relay delivers each at least once and in order for its target, and confirms it to the source,
 * which deletes the row. A target that cannot be reached delays no other.
 */
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.js';
import type { AwaitedEntries, Deliveries } from '../partitions/partitions.js';
import { withDeadline } from '../partitions/deadline.js';
import { FairLanes } from '../flow/fairLanes.js';
import type { OutboxEntry, OutboxKind, OutboxPage, PartitionName } from '../partitions/messages.js';
import type { Attempt, DeliveryKind, DeliveryKinds, DeliveryOutcome } from './deliveryKind.js';
import { SourceQueue } from './sourceQueue.js';

/** A trouble that lasts is logged once in this time. */
const LOG_AGAIN_MS = 60_000;

export interface OutboxRelayOptions {
  readonly kinds: DeliveryKinds;
  /** Allows the source to delete the row, wherever the source is by now. */
  readonly confirm: (source: PartitionName, id: number) => Promise<unknown>;
  /** Makes a partition of this process publish the page of its outbox after this id. */
  readonly push: (source: PartitionName, after: number) => Promise<unknown>;
  readonly log: Logger;
}

export class OutboxRelay implements Deliveries {
  readonly #options: OutboxRelayOptions;
  readonly #sources = new Map<PartitionName, SourceQueue>();
  /** The places of steps, by kind, urgency and whether the attempt before failed. */
  readonly #lanes = new Map<string, FairLanes>();
  readonly #loggedAt = new Map<string, number>();
  #isStopped = false;

  constructor(options: OutboxRelayOptions) {
    this.#options = options;
  }

  /** Takes the entry of a commit. */
  take(entry: OutboxEntry): void {
    if (this.#isKnown(entry)) this.#sourceOf(entry.source).take(entry);
  }

  takePage(page: OutboxPage): void {
    const entries = page.entries.filter((entry) => this.#isKnown(entry));
    this.#sourceOf(page.source).takePage({ ...page, entries });
  }

  async delivered({ kind, source, target, upTo = Infinity }: AwaitedEntries): Promise<void> {
    const { patienceMs, late } = this.#options.kinds[kind];
    const arrival = this.#sources.get(source)?.arrived(target, upTo);
    await withDeadline(arrival ?? Promise.resolve(), patienceMs).catch((error: unknown) => {
      this.#options.log[late.level]({ err: error, source }, late.text);
    });
  }

  /** What is undelivered stays in the outboxes. */
  stop(): void {
    this.#isStopped = true;
    for (const source of this.#sources.values()) source.stop();
  }

  #sourceOf(name: PartitionName): SourceQueue {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const source = new SourceQueue({
      attempt: (entry, attempt) => this.#attempt(entry, attempt),
      isReplaced: (entry, later) => entry.kind === later.kind && this.#kindOf(entry).latestOnly,
      isUrgent: (entry) => this.#kindOf(entry).isUrgent(entry),
      push: (after) => this.#options.push(name, after),
      onDone: (entry) => this.#confirm(entry),
      onFailed: (entry, error) => this.#logSeldom({ err: error, source: name }, this.#kindOf(entry).failed),
      onUnread: (error) => this.#logSeldom({ err: error, source: name }, 'an outbox could not be read; trying again'),
    });
    this.#sources.set(name, source);
    return source;
  }

  /** A newer instance that owned the source may have left a kind that this one lacks. The row waits for one that knows it. */
  #isKnown({ source, kind }: OutboxEntry): boolean {
    if (Object.hasOwn(this.#options.kinds, kind)) return true;
    this.#logSeldom({ source, kind }, 'an outbox holds entries of an unknown kind');
    return false;
  }

  #kindOf({ kind }: OutboxEntry): DeliveryKind<OutboxKind> {
    return this.#options.kinds[kind];
  }

  /** Its steps take turns with steps of other lines, so a long delivery delays others by one step at a time. */
  async #attempt(entry: OutboxEntry, attempt: Attempt): Promise<DeliveryOutcome> {
    const lanes = this.#lanesOf(entry, attempt);
    const steps = this.#kindOf(entry).deliver(entry, attempt);
    const next = async (): Promise<IteratorResult<void, DeliveryOutcome>> => {
      if (this.#isStopped) throw new AppError('unavailable', 'The service is stopping');
      return steps.next();
    };
    const onWaiting = (giveUp: () => void): void => void (attempt.onOvertaken = giveUp);
    for (;;) {
      const step = await lanes.runIfWanted(`${entry.source} ${entry.target}`, next, onWaiting);
      if (step === null) return 'outdated';
      if (step.done === true) return step.value;
    }
  }

  #lanesOf(entry: OutboxEntry, { before }: Attempt): FairLanes {
    const { parallel, isUrgent } = this.#kindOf(entry);
    const name = `${entry.kind} ${isUrgent(entry) ? 'urgent' : 'ordinary'} ${before === 'failed' ? 'repeated' : 'first'}`;
    const lanes = this.#lanes.get(name) ?? new FairLanes(parallel, parallel);
    this.#lanes.set(name, lanes);
    return lanes;
  }

  /** Not awaited: an entry that is delivered twice is harmless. */
  #confirm({ source, id }: OutboxEntry): void {
    this.#options.confirm(source, id).catch((error: unknown) => {
      if (this.#isStopped && error instanceof AppError) return;
      this.#logSeldom({ err: error, source }, 'a delivered outbox row could not be removed and will be delivered again');
    });
  }

  #logSeldom(facts: object, text: string): void {
    const now = performance.now();
    if (now - (this.#loggedAt.get(text) ?? -Infinity) < LOG_AGAIN_MS) return;
    this.#loggedAt.set(text, now);
    this.#options.log.warn(facts, text);
  }
}
