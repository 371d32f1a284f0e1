/**
 * Writes imported boards to the store, a slice at a time with other boards' commands in between. Each slice is a job; the
 * last one writes the board's own record, and before it nothing of the board is visible.
 */
import { membersIn, readSlice, type BoardPlan } from '../domain/document/boardPlan.js';
import { AppError, Deposed, INTERNAL_ERROR, NotStored } from '../domain/errors.js';
import { boardKeyOf, type BoardKey } from '../domain/ids.js';
import type { BoardReply, Notice, Outcome, ShardName } from '../partitions/messages.js';
import { outcomeOf } from '../partitions/threadServer.js';
import type { Batch } from './batch.js';
import type { Jobs } from './jobs.js';
import { addToOutbox } from './outboxEntries.js';
import type { ShardStore } from './shardStore.js';

export interface ImportingBoardsOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly jobs: Pick<Jobs, 'add'>;
  readonly onError: (error: unknown) => void;
  /** Runs a step after other partitions had their turn. */
  readonly later: (step: () => void) => void;
  /** The current time as stored text. */
  readonly now: () => string;
}

/** Called once for each import, when it is stored or has failed. */
type Imported = (outcome: Outcome | 'abandoned', notices: readonly Notice[]) => void;

interface Import {
  readonly plan: BoardPlan;
  readonly imported: Imported;
  /** Number of stored slices. */
  written: number;
}

interface Finished {
  readonly reply: BoardReply;
  readonly notices: readonly Notice[];
}

/** `taken`: nothing, because the key belongs to a board already. */
type Written = 'taken' | 'slice' | Finished;

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
    if (this.#imports.has(key)) return imported(refused(taken()), []);
    this.#imports.set(key, { plan, imported, written: 0 });
    this.#continue(key);
  }

  /** The file is about to be closed. The next owner sweeps the written rows. */
  abandon(): void {
    const imports = [...this.#imports.values()];
    this.#imports.clear();
    for (const { imported } of imports) imported('abandoned', []);
  }

  #continue(key: BoardKey): void {
    const { jobs, later } = this.#options;
    later(() => {
      const job = this.#imports.get(key);
      if (job === undefined) return;
      let written: Written = 'taken';
      jobs.add({
        write: (batch) => {
          written = this.#write(key, job, batch);
        },
        settled: (error) => this.#settled(key, job, written, error),
      });
    });
  }

  #write(key: BoardKey, { plan, written }: Import, batch: Batch): Written {
    // Asked here, where no other commit is under way that might still fail.
    if (written === 0 && this.#isTaken(key)) return 'taken';
    const { now } = this.#options;
    const store = batch.write();
    const slice = plan.slices[written];
    if (slice === undefined) return this.#finish(key, plan, store);
    if (written === 0) store.loose.add(key, now());
    store.writeRows(key, readSlice(slice), now());
    return 'slice';
  }

  #isTaken(key: BoardKey): boolean {
    const { store } = this.#options;
    return store.positionOf(key) !== null || store.loose.has(key);
  }

  #settled(key: BoardKey, job: Import, written: Written, error: unknown): void {
    if (error instanceof Deposed) {
      const isLast = job.written === job.plan.slices.length;
      return this.#end(key, job, isLast ? outcomeOf(error, this.#options.name) : 'abandoned');
    }
    if (error !== null) return this.#fail(key, job, error);
    if (written === 'taken') return this.#end(key, job, refused(taken()));
    if (written !== 'slice') return this.#end(key, job, { ok: true, value: written.reply }, written.notices);
    job.written += 1;
    this.#continue(key);
  }

  #fail(key: BoardKey, job: Import, error: unknown): void {
    if (!(error instanceof AppError) || error instanceof NotStored) this.#options.onError(error);
    this.#end(key, job, refused(error));
  }

  #end(key: BoardKey, { imported }: Import, outcome: Outcome | 'abandoned', notices: readonly Notice[] = []): void {
    this.#imports.delete(key);
    imported(outcome, notices);
  }

  #finish(key: BoardKey, { board_id, last }: BoardPlan, store: ShardStore): Finished {
    const { name, now } = this.#options;
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
}

function taken(): AppError {
  return new AppError('conflict', 'The board already exists');
}

/** A board's refusal is the answer to an import, as it is to a command. */
function refused(error: unknown): Outcome {
  if (!(error instanceof AppError)) return { ok: false, error: INTERNAL_ERROR };
  if (error.code === 'unavailable') return { ok: false, error: error.toData() };
  const reply: BoardReply = { outcome: { ok: false, error: error.toData() } };
  return { ok: true, value: reply };
}
