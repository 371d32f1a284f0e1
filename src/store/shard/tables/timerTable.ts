/** The timers of a shard in its file, and the cards for which timers are still to be set. */
import type { Database } from 'better-sqlite3';
import type { Dated } from '../../../domain/board/timers/reminders.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import { TIMER_KINDS, TIMER_TABLES, type Timer, type TimerChange, type TimerWrite } from '../../../domain/board/timers/timers.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import { Tables } from '../../table/tables.js';
import type { ShardJournal } from '../shardJournal.js';

/** A card of a board that is there, on its way to another one, which carries out its reminder unless it refuses the card. */
const IS_LEAVING = `EXISTS (SELECT 1 FROM moved JOIN board USING (board_key)
  WHERE moved.board_key = timer.board_key AND moved.id = timer.target AND moved.state = 'leaving')`;
/** Those of a kind that a newer program knows wait for it. */
const KNOWN = `timer WHERE kind IN (${TIMER_KINDS.filter((kind) => kind !== 'replan')
  .map((kind) => `'${kind}'`)
  .join(', ')}) AND NOT (kind = 'reminder' AND ${IS_LEAVING}) ORDER BY due`;
const REPLANS = `timer WHERE kind = 'replan' ORDER BY due LIMIT 1`;

type DatedCard = Dated & Pick<Timer, 'board_key'> & { readonly id: Uuid; readonly pending: number | null };

export class TimerTable {
  readonly #journal: ShardJournal;
  readonly #tables;
  readonly #forget;
  readonly #cards;
  /** A schema: programs that know it read the commits. */
  #readableFor = Infinity;

  constructor(db: Database, journal: ShardJournal) {
    this.#journal = journal;
    this.#tables = new Tables<{ timer: Timer }, TimerWrite>(db, TIMER_TABLES);
    this.#forget = prepareWrite<[BoardKey, Uuid]>(db, `DELETE FROM timer WHERE board_key = ? AND target = ? AND kind = 'reminder'`);
    this.#cards = prepareRead(() =>
      db.prepare<[BoardKey, Uuid, number], DatedCard>(
        `SELECT board_key, id, due_at, completed_at, reminder_minutes,
           (SELECT due FROM timer WHERE timer.board_key = card.board_key AND target = card.id AND kind = 'reminder') AS pending
         FROM card WHERE (board_key, id) > (?, ?) ORDER BY board_key, id LIMIT ?`,
      ),
    );
  }

  /** The owner's commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#readableFor = schema;
  }

  change(key: BoardKey, changes: readonly TimerChange[]): void {
    const timers = changes.map(({ target, kind, due }) => ({ board_key: key, target, kind, due }));
    this.set(timers.flatMap(({ due, ...timer }) => (due === null ? [] : [{ ...timer, due }])));
    this.clear(timers.filter(({ due }) => due === null));
  }

  set(timers: readonly Timer[]): void {
    if (timers.length > 0) this.#write({ op: 'timer.set', timers });
  }

  clear(timers: ReadonlyArray<Omit<Timer, 'due'>>): void {
    const named = timers.map(({ board_key, target, kind }) => ({ board_key, target, kind }));
    if (named.length > 0) this.#write({ op: 'timer.clear', timers: named });
  }

  /** The first ones, due or not, without boards to be planned anew; none while an older program runs, which could not read that they are carried out. */
  next(limit: number): Timer[] {
    return this.#isReadable ? this.#tables.query('timer', `${KNOWN} LIMIT ${limit}`, {}) : [];
  }

  /** The board that has waited longest for its timers to be set anew. */
  nextReplan(): Timer | null {
    return (this.#isReadable ? this.#tables.query('timer', REPLANS, {})[0] : undefined) ?? null;
  }

  /** When the reminder of a card is due; null if it has none. */
  reminderDue(board_key: BoardKey, target: Uuid): number | null {
    return this.#tables.get('timer', { board_key, target, kind: 'reminder' })?.due ?? null;
  }

  /** Cards of all boards after this one, dated or not. */
  cardsAfter(key: BoardKey, id: Uuid, limit: number): DatedCard[] {
    return this.#cards.all(key, id, limit);
  }

  /** Part of the removal of what they are about, so that every copy does the same. */
  forget(key: BoardKey, target: Uuid): void {
    this.#forget(key, target);
  }

  /** Repeats a write of a commit. */
  execute(write: TimerWrite): void {
    this.#tables.execute(write);
  }

  get #isReadable(): boolean {
    return TIMER_TABLES.timer.since <= this.#readableFor;
  }

  #write(write: TimerWrite): void {
    if (this.#isReadable && this.#tables.execute(write) > 0) this.#journal.note(write);
  }
}
