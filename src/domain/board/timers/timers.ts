/**
 * Timers of a shard: something on a board is due at a time. A timer is set and cleared in the commit of the change that it
 * follows from, and leaves in the commit that carries it out, so each is carried out once whoever owns the shard by then.
 */
import { REMINDERS } from '../laterFields.js';
import type { BoardKey, Uuid } from '../../ids.js';
import type { Table } from '../../table.js';

/**
 * `reminder`: of a card. `catch-up`: timers for the cards of programs that knew none; its key and target are the last card seen.
 * `replan`: since `due` the timers of the board's cards are to be set anew, because a member wants another time or the board was in the
 * trash; its target is the last card seen.
 */
export const TIMER_KINDS = ['reminder', 'catch-up', 'replan'] as const;
export type TimerKind = (typeof TIMER_KINDS)[number];

export interface Timer {
  readonly board_key: BoardKey;
  /** What it is about. With the removal of a card its timers go. */
  readonly target: Uuid;
  /** A newer program may have others. They wait for it. */
  readonly kind: TimerKind;
  /** In milliseconds since the epoch: as texts, years of five digits would not be in order. */
  readonly due: number;
}

/** Of something on the board that decides it. `due`: null for none. */
export type TimerChange = Pick<Timer, 'target' | 'kind'> & { readonly due: number | null };

export type TimerWrite =
  | { readonly op: 'timer.set'; readonly timers: readonly Timer[] }
  | { readonly op: 'timer.clear'; readonly timers: ReadonlyArray<Omit<Timer, 'due'>> };

interface TimerRows {
  timer: Timer;
}

export const TIMER_TABLES: { readonly timer: Table<TimerRows, Timer, TimerWrite> } = {
  timer: {
    since: REMINDERS,
    // A date is set also while an older program runs. Afterwards the catch-up finds it.
    isOptional: true,
    key: ['board_key', 'target', 'kind'],
    columns: { board_key: 'text', target: 'text', kind: 'text', due: 'integer' },
    writes: {
      'timer.set': ({ timers }) => timers.map((put) => ({ table: 'timer', put })),
      'timer.clear': ({ timers }) => timers.map(({ board_key, target, kind }) => ({ table: 'timer', remove: { board_key, target, kind } })),
    },
  },
};
