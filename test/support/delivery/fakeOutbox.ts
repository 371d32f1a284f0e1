/** A partition with an outbox, and targets, for tests of the relay: nothing is on disk and nothing is asked. */
import { pino } from 'pino';
import type { Test } from 'tap';
import { OutboxRelay } from '../../../src/delivery/outboxRelay.js';
import type { DeliveryKind, DeliveryKinds, DeliverySteps } from '../../../src/delivery/deliveryKind.js';
import { AppError } from '../../../src/domain/errors.js';
import { OUTBOX_PAGE } from '../../../src/domain/ports/outbox.js';
import { notServed } from '../../../src/partitions/askPort.js';
import type { OutboxEntry, OutboxKind, PartitionName } from '../../../src/partitions/messages.js';
import { toOutboxPage } from '../../../src/partitions/runtime/outboxPage.js';

/** Longer than any test: a wait that ends before has a reason. */
const PATIENCE_MS = 60_000;

export class FakeWorld {
  readonly relay: OutboxRelay;
  /** What arrived, in order: `target id`. */
  readonly arrived: string[] = [];
  /** Every attempt, in order. */
  readonly attempts: string[] = [];
  /** `source id`. */
  readonly confirmed: string[] = [];
  readonly log: string[] = [];
  /** Targets that refuse. */
  readonly away = new Set<string>();
  /** Called before an entry arrives; may wait or throw. */
  before: (entry: OutboxEntry, isRepeated: boolean) => unknown = () => undefined;
  readonly #sources = new Map<PartitionName, FakeSource>();

  constructor(t: Test, settings: Partial<Pick<DeliveryKind<OutboxKind>, 'latestOnly' | 'isUrgent' | 'parallel' | 'patienceMs'>> = {}) {
    const kind: DeliveryKind<OutboxKind> = {
      deliver: (entry, { before }) => this.#deliver(entry, before === 'failed'),
      latestOnly: false,
      isUrgent: () => false,
      parallel: Infinity,
      patienceMs: PATIENCE_MS,
      late: { level: 'warn', text: 'late' },
      failed: 'failed',
      ...settings,
    };
    const kinds: DeliveryKinds = { membership: kind, profile: kind, notification: kind, cardMove: kind };
    this.relay = new OutboxRelay({
      kinds,
      confirm: async (source, id) => this.source(source).confirm(id),
      push: async (source, after) => this.source(source).push(after),
      log: pino({ level: 'debug' }, { write: (line: string) => void this.log.push(line) }),
    });
    t.teardown(() => this.relay.stop());
  }

  source(name: PartitionName): FakeSource {
    const known = this.#sources.get(name) ?? new FakeSource(name, this.relay, this.confirmed);
    this.#sources.set(name, known);
    return known;
  }

  /** Resolves when the target has everything up to this id. */
  delivered(source: PartitionName, target: string, upTo?: number): Promise<void> {
    return this.relay.delivered({ kind: 'membership', source, target, ...(upTo === undefined ? {} : { upTo }) });
  }

  /** The ids that arrived at a target, in order. */
  arrivedAt(target: string): number[] {
    return this.arrived.filter((line) => line.startsWith(`${target} `)).map((line) => Number(line.slice(target.length)));
  }

  async *#deliver(entry: OutboxEntry, isRepeated: boolean): DeliverySteps {
    const name = `${entry.target} ${entry.id}`;
    this.attempts.push(name);
    await this.before(entry, isRepeated);
    if (this.away.has(entry.target)) throw new AppError('unavailable', `${entry.target} is away`);
    this.arrived.push(name);
    return 'delivered';
  }
}

export class FakeSource {
  readonly rows = new Map<number, OutboxEntry>();
  readonly committed: OutboxEntry[] = [];
  /** Where a page began that was asked for. */
  readonly pushedAfter: number[] = [];
  isOpen = true;
  /** Called before a page is published; may throw. */
  beforePage: () => void = () => undefined;
  readonly #name: PartitionName;
  readonly #relay: OutboxRelay;
  readonly #confirmed: string[];
  readonly #onEmpty: Array<() => void> = [];
  #latest = 0;

  constructor(name: PartitionName, relay: OutboxRelay, confirmed: string[]) {
    this.#name = name;
    this.#relay = relay;
    this.#confirmed = confirmed;
  }

  /** Rows that are committed while the relay does not hear of them. */
  add(...targets: string[]): OutboxEntry[] {
    return targets.map((target) => {
      this.#latest += 1;
      const payload = { board_id: target, members: 'none left' } as const;
      const entry: OutboxEntry = { source: this.#name, id: this.#latest, kind: 'membership', target, payload };
      this.rows.set(entry.id, entry);
      this.committed.push(entry);
      return entry;
    });
  }

  /** Another owner's relay hears of it while this one is not open. */
  commit(...targets: string[]): void {
    for (const entry of this.add(...targets)) if (this.isOpen) this.#relay.take(entry);
  }

  open(): void {
    this.isOpen = true;
    this.#publishPage(0);
  }

  push(after: number): void {
    this.pushedAfter.push(after);
    if (!this.isOpen) throw notServed(this.#name);
    this.beforePage();
    this.#publishPage(after);
  }

  confirm(id: number): void {
    this.#confirmed.push(`${this.#name} ${id}`);
    this.rows.delete(id);
    if (this.rows.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Resolves when the last row is confirmed. */
  emptied(): Promise<void> {
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  #publishPage(after: number): void {
    const rows = [...this.rows.values()].filter(({ id }) => id > after).slice(0, OUTBOX_PAGE);
    this.#relay.takePage(toOutboxPage(this.#name, after, rows, (entry) => entry));
  }
}

/** A door that is shut until `open` is called. */
export function door(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}
