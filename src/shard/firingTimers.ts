/**
 * Carries out the timers of a shard: a page of those that are due is a job, whose commit clears them and has what they lead to.
 * Memory has the earliest time alone. It is compared with the clock once a second instead of waited for: so a clock that jumps by
 * days, and a machine that slept, delay nothing, and what became due before the shard was opened is carried out then.
 */
import { IdSource, type BoardKey, type Uuid } from '../domain/ids.js';
import type { Card } from '../domain/model.js';
import { nextReminder, remind, remindedUntil, type OwnMinutes } from '../domain/board/timers/reminders.js';
import { NOTIFICATIONS_AT_ONCE, type NewNotification } from '../domain/account/notification.js';
import { watchersOf } from '../domain/board/watching/watching.js';
import type { Timer, TimerChange } from '../domain/board/timers/timers.js';
import type { Notice, ShardName } from '../partitions/messages.js';
import type { PartitionHost } from '../partitions/runtime/partition.js';
import { addNotifications } from './commands/outboxEntries.js';
import type { ShardBatch, ShardJobs, ShardStore } from './shardStore.js';

export interface FiringTimersOptions {
  readonly name: ShardName;
  readonly store: Pick<ShardStore, 'timers' | 'idOf' | 'cardOf' | 'memberOf' | 'ownMinutesOf' | 'watchesOf' | 'outbox'>;
  readonly jobs: ShardJobs;
  readonly host: Pick<PartitionHost, 'publish' | 'endTurn'>;
  readonly onError: (error: unknown) => void;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
}

/** Timers of one commit: one to two milliseconds, for which other boards wait. */
const FIRE_STEP = 50;
/** The pause between two steps: most of the time is for commands. */
const PAUSE_MS = 20;
/** Cards of one step of the catch-up. */
const CATCH_UP_STEP = 250;

export class FiringTimers {
  readonly #options: FiringTimersOptions;
  readonly #ids = new IdSource();
  /** No timer is due before. */
  #earliest: number;
  #state: 'resting' | 'under way' | 'stopped' = 'resting';
  #pause: NodeJS.Timeout | undefined;

  /** Throws if the timers cannot be read. */
  constructor(options: FiringTimersOptions) {
    this.#options = options;
    const { timers } = options.store;
    this.#earliest = timers.nextReplan()?.due ?? timers.next(1)[0]?.due ?? Infinity;
  }

  /** A commit sets these. If it fails, a look finds nothing. */
  note(changes: readonly TimerChange[]): void {
    for (const { due } of changes) if (due !== null) this.#noteDue(due);
  }

  /** A commit frees timers that waited. */
  lookAgain(): void {
    this.#earliest = -Infinity;
  }

  /** To be called once a second. */
  check(): void {
    if (this.#state === 'resting' && this.#earliest <= this.#options.now()) this.#fire();
  }

  stop(): void {
    this.#state = 'stopped';
    clearTimeout(this.#pause);
  }

  #noteDue(due: number): void {
    this.#earliest = Math.min(this.#earliest, due);
  }

  #fire(): void {
    const { jobs, host, onError, now } = this.#options;
    this.#state = 'under way';
    let notices: readonly Notice[] = [];
    jobs.add({
      write: (batch) => void (notices = this.#write(batch)),
      settled: (error) => {
        if (error === null) host.publish(notices);
        else onError(error);
        if (this.#state === 'stopped') return;
        this.#state = 'resting';
        // The next look finds out.
        if (error !== null) this.lookAgain();
        else if (this.#earliest <= now()) this.#goOn();
      },
    });
    host.endTurn();
  }

  #goOn(): void {
    this.#state = 'under way';
    this.#pause = setTimeout(() => this.#fire(), PAUSE_MS).unref();
  }

  #write(batch: ShardBatch): Notice[] {
    const { timers } = this.#options.store;
    const now = this.#options.now();
    const next = timers.next(FIRE_STEP);
    const due = next.filter((timer) => timer.due <= now);
    // A full page says nothing of what comes after it.
    this.#earliest = due.length === FIRE_STEP ? now : (next[due.length]?.due ?? Infinity);
    // Behind all that is due: however many cards one user has planned anew, the reminders of others do not wait for it.
    const replan = due.length === FIRE_STEP ? null : timers.nextReplan();
    if (due.length === 0 && replan === null) return [];
    const store = batch.write();
    const found: NewNotification[] = [];
    const own = new Map<BoardKey, OwnMinutes>();
    const ownMinutes = (key: BoardKey): OwnMinutes => {
      const known = own.get(key) ?? this.#options.store.ownMinutesOf(key);
      own.set(key, known);
      return known;
    };
    const carriedOut: Timer[] = [];
    for (const timer of due) {
      // A card may have a thousand people: then the rest is for the next step.
      if (found.length >= NOTIFICATIONS_AT_ONCE) break;
      // Before it is carried out, which may set it again.
      store.timers.clear([timer]);
      found.push(...this.#carryOut(timer, now, ownMinutes));
      carriedOut.push(timer);
    }
    if (carriedOut.length < due.length) this.#noteDue(now);
    else if (replan !== null) this.#replan(replan, now, ownMinutes(replan.board_key));
    // Those of all boards of the step go together: each entry costs a commit here and one of the directory.
    const [first] = carriedOut;
    return first === undefined ? [] : addNotifications(store.outbox, this.#options.name, first.board_key, found, () => this.#ids.fresh());
  }

  #carryOut(timer: Timer, now: number, ownMinutes: (key: BoardKey) => OwnMinutes): readonly NewNotification[] {
    if (timer.kind === 'catch-up') return this.#catchUp(timer, now, ownMinutes);
    const { store } = this.#options;
    const { board_key, target, kind, due } = timer;
    const id = store.idOf(board_key);
    if (id === null) return [];
    const board = { id, own: ownMinutes(board_key), watchersOf: (card: Card) => this.#watchersOf(board_key, id, card) };
    const { notices, next } = remind(store.cardOf(board_key, target), board, due, now);
    if (next !== null) this.#set([{ board_key, target, kind, due: next }]);
    return notices;
  }

  #set(timers: readonly Timer[]): void {
    this.#options.store.timers.set(timers);
    this.note(timers);
  }

  /**
   * Sets the timers of a page of a board's cards anew, when none of them is due: a time that has passed by then is none. A timer that
   * waits for the move of its card may be due.
   */
  #replan(replan: Timer, now: number, own: OwnMinutes): void {
    const { timers } = this.#options.store;
    const { board_key, target, kind, due: since } = replan;
    timers.clear([replan]);
    const page = timers.cardsAfter(board_key, target, CATCH_UP_STEP);
    const cards = page.filter((card) => card.board_key === board_key);
    const planned = cards
      .filter(({ reminder_minutes }) => reminder_minutes === null)
      .map(({ id, pending, ...card }) => {
        const due = nextReminder(card, own, remindedUntil(pending, now));
        return { board_key, target: id, kind: 'reminder', due } as const;
      });
    this.#set(planned.flatMap(({ due, ...timer }): Timer[] => (due === null ? [] : [{ ...timer, due }])));
    timers.clear(planned.filter(({ due }) => due === null));
    const last = cards.at(-1);
    if (last !== undefined && cards.length === CATCH_UP_STEP) this.#set([{ board_key, target: last.id, kind, due: since }]);
    if (timers.nextReplan() !== null) this.#noteDue(now);
  }

  /** Who made the card may have left the board. */
  #watchersOf(key: BoardKey, board: Uuid, card: Card): readonly Uuid[] {
    const { store } = this.#options;
    const chosen = store.watchesOf(key, [board, card.column_id, card.id]);
    return watchersOf(card, board, chosen).filter((user) => user !== card.created_by || store.memberOf(key, user) !== null);
  }

  /** Sets timers for the cards after this place, whose dates were set by a program that knew none. */
  #catchUp({ board_key, target }: Timer, now: number, ownMinutes: (key: BoardKey) => OwnMinutes): readonly NewNotification[] {
    const { timers } = this.#options.store;
    const cards = timers.cardsAfter(board_key, target, CATCH_UP_STEP);
    const found = cards.flatMap((card): Timer[] => {
      const due = nextReminder(card, ownMinutes(card.board_key), now);
      return due !== null ? [{ board_key: card.board_key, target: card.id, kind: 'reminder', due }] : [];
    });
    const last = cards.at(-1);
    const isLast = last === undefined || cards.length < CATCH_UP_STEP;
    this.#set(isLast ? found : [...found, { board_key: last.board_key, target: last.id, kind: 'catch-up', due: 0 }]);
    return [];
  }
}
