/**
 * Several changes as one command: they run one after another in one draft, so they are committed together or not at all.
 * Each is admitted, limited and announced like a command of its own; the first refusal ends the batch.
 */
import { commentFiles } from '../board/comments/commentFiles.js';
import type { Draft } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { Kind } from '../model.js';
import { idInUse, idWasUsed, RefusedStep, unknownOperation } from '../refusals.js';
import { BATCHABLE, type BatchOperation, type BatchStep, type Caller } from './commands.js';
import { admit, authorise, validInput, type Handler, type HandlerAnswer, type Handlers, type ErasedHandler } from './handler.js';
import { madeBy } from './steps/lateRepeat.js';

export const MAX_BATCH_OPERATIONS = 100;
/**
 * Of all events and answers of a batch. Every event of a card carries the whole card, so a hundred small changes of a
 * large card would fill a commit with hundreds of megabytes.
 */
export const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/**
 * What the operations of a batch may show, look through and change, in records: a large column shows all its cards, a
 * deleted label is looked for on all cards. This many take some ten milliseconds, for which other boards wait.
 */
export const MAX_BATCH_RECORDS = 2_000;
/** Cards that are looked through in the time of one that is changed. */
const CARDS_PER_RECORD = 20;
/** Records that are changed in the time in which one file goes to the trash, with an entry and an event of its own. */
const RECORDS_PER_FILE = 10;

const NO_CONTENT = 204;

const NAMES: ReadonlySet<string> = new Set(BATCHABLE);

export function batchHandler(handlers: Handlers<BatchOperation>): Handler<'board.batch'> {
  return {
    target: 'board',
    // Each operation asks for its own.
    access: 'commenter',
    effect: 'write',
    grows: true,
    lists: null,
    run: (draft, _board, { operations }) => lateRepeat(handlers, draft, operations) ?? runAll(handlers, draft, operations),
  };
}

function runAll(handlers: Handlers<BatchOperation>, draft: Draft, steps: readonly BatchStep[]): HandlerAnswer {
  const growth = draft.growth();
  const answers: string[] = [];
  let characters = 0;
  let records = 0;
  for (const [index, step] of steps.entries()) {
    const emitted = draft.events.length;
    inStep(index, () => {
      const concerned = recordsOf(draft, step);
      if (records + concerned > MAX_BATCH_RECORDS) throw tooMany();
      const { json } = runStep(handlers, draft, step);
      const replaced = draft.replacedInStep;
      growth.refuse(replaced);
      records += Math.max(concerned, replaced.length);
      // The rest of such a removal goes in later commits, and nothing may follow it in this one.
      if (draft.isUnfinished) throw new AppError('limit', 'Too much goes with it for a batch. Delete it with a request of its own.');
      answers.push(answerTo(step, json));
      characters += json?.length ?? 0;
      for (let event = emitted; event < draft.events.length; event += 1) characters += draft.events[event]?.json.length ?? 0;
      refuseLength(characters);
    });
  }
  return { json: `{"answers":[${answers.join(',')}]}` };
}

/**
 * A batch whose answer was forgotten, repeated: the ids of what it created follow from its key. Nothing is carried out again,
 * and each operation is answered with its record as it is now. Null if nothing has or had one of these ids.
 *
 * All of them were created by one caller, so one of which the creator is known tells whose batch it was.
 */
function lateRepeat(handlers: Handlers<BatchOperation>, draft: Draft, steps: readonly BatchStep[]): HandlerAnswer | null {
  const first = steps.findIndex(({ id }) => id !== null && !draft.isNew(id));
  if (first < 0) return null;
  for (const [index, { op, input }] of steps.entries()) {
    inStep(index, () => authorise(draft, callerOf(draft), handlerOf(handlers, op).access, input));
  }
  const answers: string[] = [];
  let [characters, isOwn] = [0, false];
  for (const [index, step] of steps.entries()) {
    inStep(index, () => {
      validInput(step.input);
      const own = step.id === null ? null : madeBy(draft, step);
      if (own !== null) isOwn = true;
      else if (step.id !== null) requireUnknown(draft, step.op, step.id);
      const json = own ?? shownBy(draft, step);
      answers.push(answerTo(step, json));
      characters += json?.length ?? 0;
      refuseLength(characters);
    });
  }
  if (!isOwn) throw new RefusedStep(first, idInUse());
  return { json: `{"answers":[${answers.join(',')}]}`, isLateRepeat: true };
}

/** Refuses an id that has nothing, or something that is known to be another one's. Of older programs not every creator is known. */
function requireUnknown(draft: Draft, op: BatchOperation, id: Uuid): void {
  const record = draft.get(kindOf(op), id);
  if (record === undefined) throw draft.isTaken(id) ? idInUse() : idWasUsed();
  if (draft.createOf(id) !== null || 'created_by' in record) throw idInUse();
}

function shownBy(draft: Draft, { op, status, id, target }: BatchStep): string | null {
  const kind = kindOf(op);
  const record = draft.get(kind, id ?? target);
  return record === undefined || status === NO_CONTENT ? null : draft.render.record(kind, record);
}

/** A refusal of `work` belongs to the operation at `index`. */
function inStep(index: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof AppError ? new RefusedStep(index, error) : error;
  }
}

function answerTo({ status }: BatchStep, json: string | null): string {
  return `{"status":${status},"body":${json ?? 'null'}}`;
}

function refuseLength(characters: number): void {
  if (characters <= MAX_BATCH_CHARACTERS) return;
  throw new AppError('limit', `The answers and events of a batch can have at most ${MAX_BATCH_CHARACTERS} characters`);
}

function runStep(handlers: Handlers<BatchOperation>, draft: Draft, { op, target: id, input, id: newId }: BatchStep): HandlerAnswer {
  const handler = handlerOf(handlers, op);
  draft.beginStep(newId);
  const run = admit(draft, callerOf(draft), handler, id, input);
  return run(validInput(input));
}

/** A newer instance may send an operation that a batch of this version cannot hold. */
function handlerOf(handlers: Handlers<BatchOperation>, op: BatchOperation): ErasedHandler {
  if (!NAMES.has(op)) throw unknownOperation(op);
  return handlers[op];
}

function callerOf({ caller }: Draft): Caller {
  return caller === null ? 'system' : { user_id: caller };
}

/** What an operation is about: its name begins with it. */
function kindOf(op: BatchOperation): Kind {
  return op.slice(0, op.indexOf('.')) as Kind;
}

function recordsOf(draft: Draft, { op, target }: BatchStep): number {
  switch (op) {
    case 'column.update':
    case 'column.move':
    case 'column.delete':
    case 'column.archive':
    case 'column.restore':
      return cardsIn(draft, target);
    case 'comment.delete':
      return 1 + filesOf(draft, target) * RECORDS_PER_FILE;
    case 'label.delete':
      return draft.size.count('card') / CARDS_PER_RECORD;
    default:
      return 1;
  }
}

/** Also of a column in the archive, whose cards are deleted and restored with it. */
function cardsIn(draft: Draft, column: Uuid): number {
  if (draft.get('column', column) !== undefined) return draft.children('card', column).size;
  return draft.get('archived', column)?.content.card_count ?? 0;
}

function filesOf(draft: Draft, id: Uuid): number {
  const comment = draft.get('comment', id);
  return comment === undefined ? 0 : commentFiles(draft, comment.card_id, id).length;
}

function tooMany(): AppError {
  return new AppError(
    'limit',
    `The operations of a batch can concern at most ${MAX_BATCH_RECORDS} records. Send this one with a request of its own.`,
  );
}
