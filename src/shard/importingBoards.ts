/**
 * Writes imported boards to disk, a slice at a time with other boards' commands in between. Each slice is a commit; the
 * last one writes the board's own record, and before it nothing of the board is visible.
 */
import { membersIn, readSlice, type BoardPlan } from '../domain/document/boardPlan.js';
import { AppError, INTERNAL_ERROR, NotStored } from '../domain/errors.js';
import { boardKeyOf, type BoardKey } from '../domain/ids.js';
import type { BoardReply, Notice, Outcome, ShardName } from '../partitions/messages.js';
import { addToOutbox } from './outboxEntries.js';
import type { ShardStore } from './shardStore.js';

export interface ImportingBoardsOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly onError: (error: unknown) => void;
  /** Runs a step after other partitions had their turn. */
  readonly later: (step: () => void) => void;
  /** The current time as stored text. */
  readonly now: () => string;
}

/** Called once for each import, when it is on disk or has failed. */
type Imported = (outcome: Outcome | 'abandoned', notices: readonly Notice[]) => void;

interface Import {
  readonly plan: BoardPlan;
  readonly imported: Imported;
  /** Number of slices on disk. */
  written: number;
}

export class ImportingBoards {
  readonly #options: ImportingBoardsOptions;
  readonly #imports = new Map<BoardKey, Import>();

  constructor(options: ImportingBoardsOptions) {
    this.#options = options;
  }

  has(key: BoardKey): boolean {
    return this.#imports.has(key);
  }

  start(plan: BoardPlan, imported: Imported): void {
    const key = boardKeyOf(plan.board_id);
    try {
      if (this.#isTaken(key)) throw new AppError('conflict', 'The board already exists');
    } catch (error) {
      if (!(error instanceof AppError)) this.#options.onError(error);
      imported(refused(error), []);
      return;
    }
    this.#imports.set(key, { plan, imported, written: 0 });
    this.#continue(key);
  }

  #isTaken(key: BoardKey): boolean {
    const { store } = this.#options;
    return this.#imports.has(key) || store.positionOf(key) !== null || store.loose.has(key);
  }

  /** The file is about to be closed. The next owner sweeps the written rows. */
  abandon(): void {
    const imports = [...this.#imports.values()];
    this.#imports.clear();
    for (const { imported } of imports) imported('abandoned', []);
  }

  #continue(key: BoardKey): void {
    this.#options.later(() => {
      const job = this.#imports.get(key);
      if (job === undefined) return;
      try {
        const slice = job.plan.slices[job.written];
        if (slice !== undefined) {
          this.#transaction(() => this.#write(key, slice, job.written === 0));
          job.written += 1;
          this.#continue(key);
          return;
        }
        const { reply, notices } = this.#transaction(() => this.#finish(key, job.plan));
        this.#imports.delete(key);
        job.imported({ ok: true, value: reply }, notices);
      } catch (error) {
        this.#imports.delete(key);
        if (!(error instanceof AppError) || error instanceof NotStored) this.#options.onError(error);
        job.imported(refused(error), []);
      }
    });
  }

  #write(key: BoardKey, slice: Uint8Array, isFirst: boolean): void {
    const { store, now } = this.#options;
    if (isFirst) store.loose.add(key, now());
    store.writeRows(key, readSlice(slice), now());
  }

  #finish(key: BoardKey, { board_id, last }: BoardPlan): { reply: BoardReply; notices: Notice[] } {
    const { name, store, now } = this.#options;
    const changes = readSlice(last);
    store.loose.remove(key);
    store.write(key, changes, [], 0, now());
    const members = membersIn(changes).map(({ id, user }) => ({ user_id: id, profile: user }));
    const content = { kind: 'membership', target: 'directory', payload: { board_id, members } } as const;
    const entry = addToOutbox(store.outbox, name, key, content);
    const notices: Notice[] = [
      { kind: 'board.changed', board_id },
      { kind: 'outbox', entry },
    ];
    return { reply: { outcome: { ok: true, json: null }, outboxId: entry.id }, notices };
  }

  #transaction<T>(work: () => T): T {
    const { store } = this.#options;
    store.begin();
    try {
      const value = work();
      store.commit();
      return value;
    } catch (error) {
      store.rollback();
      throw error;
    }
  }
}

/** A board's refusal is the answer to an import, as it is to a command. */
function refused(error: unknown): Outcome {
  if (!(error instanceof AppError)) return { ok: false, error: INTERNAL_ERROR };
  if (error.code === 'unavailable') return { ok: false, error: error.toData() };
  const reply: BoardReply = { outcome: { ok: false, error: error.toData() } };
  return { ok: true, value: reply };
}
