/**
 * Writes imported boards to the store, a slice at a time with other boards' commands in between. Each slice is a job; the
 * last one writes the board's own record, and before it nothing of the board is visible.
 */
import { reminderChanges } from '../../domain/board/timers/reminders.js';
import { keptFields, refusalOf } from '../../domain/board/laterFields.js';
import { membersIn, readSlice, type BoardPlan } from '../../domain/document/boardPlan.js';
import { AppError, Deposed, INTERNAL_ERROR, NotStored } from '../../domain/errors.js';
import { isSameRequest, keyReused, type KeptAnswer } from '../../domain/idempotency.js';
import { boardKeyOf, type BoardKey } from '../../domain/ids.js';
import type { ImportAnswer } from '../../domain/ports/boardsPort.js';
import { FIRST_EPOCH, writePosition } from '../../domain/position.js';
import type { BoardReply, Notice, Outcome, ShardName } from '../../partitions/messages.js';
import { outcomeOf } from '../../partitions/runtime/partition.js';
import { addToOutbox } from '../commands/outboxEntries.js';
import type { FiringTimers } from '../firingTimers.js';
import type { ShardBatch, ShardJobs, ShardStore } from '../shardStore.js';

export interface ImportingBoardsOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly jobs: ShardJobs;
  readonly onError: (error: unknown) => void;
  /** Runs a step after other partitions had their turn. */
  readonly later: (step: () => void) => void;
  /** The current time as stored text. */
  readonly now: () => string;
  readonly timers: Pick<FiringTimers, 'note'>;
  /** Commits must be readable for programs that know this schema. Absent: no older one runs. */
  readonly schema?: number | undefined;
}

/** Called once for each import, when it is stored or has failed. */
type Imported = (outcome: Outcome | 'abandoned', notices: readonly Notice[]) => void;

interface Import {
  readonly plan: BoardPlan;
  readonly keep: ImportAnswer | null;
  readonly imported: Imported;
  /** Number of stored slices. */
  written: number;
}

interface Finished {
  readonly reply: BoardReply;
  readonly notices: readonly Notice[];
}

/** A refusal: nothing was written, because the request was carried out before, or the key belongs to a board already. */
type Written = 'slice' | Finished | AppError;

export class ImportingBoards {
  readonly #options: ImportingBoardsOptions;
  readonly #imports = new Map<BoardKey, Import>();
  /** Imports of the same request that came while the first was under way, in order. */
  readonly #waiting = new Map<BoardKey, Import[]>();

  constructor(options: ImportingBoardsOptions) {
    this.#options = options;
  }

  has(key: BoardKey): boolean {
    return this.#imports.has(key);
  }

  /** `keep`: the answer, if the request has a key. */
  start(plan: BoardPlan, keep: ImportAnswer | null, imported: Imported): void {
    const key = boardKeyOf(plan.board_id);
    const job: Import = { plan, keep, imported, written: 0 };
    if (!this.#imports.has(key)) return this.#begin(key, job);
    if (keep === null) return imported(refused(taken()), []);
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, [...waiting, job]);
  }

  /** The file is about to be closed. The next owner sweeps the written rows. */
  abandon(): void {
    const imports = [...this.#imports.values(), ...[...this.#waiting.values()].flat()];
    this.#imports.clear();
    this.#waiting.clear();
    for (const { imported } of imports) imported('abandoned', []);
  }

  #begin(key: BoardKey, job: Import): void {
    this.#imports.set(key, job);
    this.#continue(key);
  }

  #continue(key: BoardKey): void {
    const { jobs, later } = this.#options;
    later(() => {
      const job = this.#imports.get(key);
      if (job === undefined) return;
      let written: Written = taken();
      jobs.add({
        write: (batch) => {
          written = this.#write(key, job, batch);
        },
        settled: (error) => this.#settled(key, job, written, error),
      });
    });
  }

  #write(key: BoardKey, job: Import, batch: ShardBatch): Written {
    const { plan, written } = job;
    // Asked here, where no other commit is under way that might still fail.
    const before = written === 0 ? this.#before(key, job) : null;
    if (before !== null) return before;
    const { now, schema } = this.#options;
    const store = batch.write();
    const slice = plan.slices[written];
    if (slice === undefined) return this.#finish(key, job, store);
    if (written === 0) store.orphans.add(key, now());
    const changes = keptFields(readSlice(slice), schema);
    store.writeRows(key, changes, now());
    const timers = reminderChanges(null, changes, Date.parse(now()));
    store.timers.change(key, timers);
    this.#options.timers.note(timers);
    return 'slice';
  }

  /** What makes the import superfluous or impossible. */
  #before(key: BoardKey, { plan, keep }: Import): Finished | AppError | null {
    const { store, now, schema } = this.#options;
    const kept = keep && store.answers.find(keep.scope, keep.key, now());
    if (keep !== null && kept !== null) return isSameRequest(kept, keep) ? replayed(kept) : keyReused();
    if (store.positionOf(key) !== null || store.orphans.has(key)) return taken();
    return schema === undefined ? null : unkept([...plan.slices, plan.last], schema);
  }

  #settled(key: BoardKey, job: Import, written: Written, error: unknown): void {
    if (error instanceof Deposed) {
      const isLast = job.written === job.plan.slices.length;
      return this.#end(key, job, isLast ? outcomeOf(error, this.#options.name) : 'abandoned');
    }
    if (error !== null) return this.#fail(key, job, error);
    if (written instanceof AppError) return this.#end(key, job, refused(written));
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
    const [next, ...others] = this.#waiting.get(key) ?? [];
    if (others.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, others);
    if (next !== undefined) this.#begin(key, next);
  }

  #finish(key: BoardKey, { plan: { board_id, last }, keep }: Import, store: ShardStore): Finished {
    const { name, now } = this.#options;
    const changes = readSlice(last);
    store.orphans.remove(key);
    store.write(key, changes, [], 0, now());
    const members = membersIn(changes).map(({ id, user }) => ({ user_id: id, profile: user }));
    const content = { kind: 'membership', target: 'directory', payload: { board_id, members } } as const;
    const entry = addToOutbox(store.outbox, name, key, content);
    const notices: Notice[] = [
      { kind: 'board.changed', board_id },
      { kind: 'outbox', entry },
    ];
    const position = writePosition({ epoch: FIRST_EPOCH, seq: 0 });
    if (keep !== null) store.answers.keep({ ...keep, shows: null, position, outboxId: entry.id }, now());
    return { reply: { outcome: { ok: true, json: null, position }, outboxId: entry.id }, notices };
  }
}

function replayed({ body, position, outboxId }: KeptAnswer): Finished {
  const outcome = { ok: true, json: body, ...(position === null ? {} : { position }), replayed: true } as const;
  return { reply: { outcome, ...(outboxId === null ? {} : { outboxId }) }, notices: [] };
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

/** Why a program with this schema would not keep the whole board; null if it would. */
function unkept(slices: BoardPlan['slices'], schema: number): AppError | null {
  for (const slice of slices) {
    for (const change of keptFields(readSlice(slice), schema)) {
      const refusal = 'put' in change ? refusalOf(change.kind, change.put, schema) : null;
      if (refusal !== null) return refusal;
    }
  }
  return null;
}
