/**
 * Several changes as one command: they run one after another in one draft, so they are committed together or not at all.
 * Each is admitted, limited and announced like a command of its own; the first refusal ends the batch.
 */
import type { Draft } from '../board/draft.js';
import { AppError } from '../errors.js';
import { RefusedStep, unknownOperation } from '../refusals.js';
import { BATCHABLE, type BatchOperation, type BatchStep } from './commands.js';
import { admit, validInput, type Handler, type HandlerAnswer, type Handlers, type ErasedHandler } from './handler.js';

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

const NAMES: ReadonlySet<string> = new Set(BATCHABLE);

export function batchHandler(handlers: Handlers<BatchOperation>): Handler<'board.batch'> {
  return {
    target: 'board',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: null,
    run: (draft, _board, { operations }) => runAll(handlers, draft, operations),
  };
}

function runAll(handlers: Handlers<BatchOperation>, draft: Draft, steps: readonly BatchStep[]): HandlerAnswer {
  const growth = draft.growth();
  const answers: string[] = [];
  let characters = 0;
  let records = 0;
  for (const [index, step] of steps.entries()) {
    const emitted = draft.events.length;
    try {
      if (records + recordsOf(draft, step) > MAX_BATCH_RECORDS) throw tooMany();
      const { json } = runStep(handlers, draft, step);
      const replaced = draft.replacedInStep;
      growth.refuse(replaced);
      records += Math.max(recordsOf(draft, step), replaced.length);
      // The rest of such a removal goes in later commits, and nothing may follow it in this one.
      if (draft.isUnfinished) throw new AppError('limit', 'Too much goes with it for a batch. Delete it with a request of its own.');
      answers.push(`{"status":${step.status},"body":${json ?? 'null'}}`);
      characters += json?.length ?? 0;
      for (let event = emitted; event < draft.events.length; event += 1) characters += draft.events[event]?.json.length ?? 0;
      if (characters > MAX_BATCH_CHARACTERS) {
        throw new AppError('limit', `The answers and events of a batch can have at most ${MAX_BATCH_CHARACTERS} characters`);
      }
    } catch (error) {
      throw error instanceof AppError ? new RefusedStep(index, error) : error;
    }
  }
  return { json: `{"answers":[${answers.join(',')}]}` };
}

function runStep(handlers: Handlers<BatchOperation>, draft: Draft, { op, target: id, input, id: newId }: BatchStep): HandlerAnswer {
  // A newer instance may send an operation that a batch of this version cannot hold.
  if (!NAMES.has(op)) throw unknownOperation(op);
  const handler: ErasedHandler = handlers[op];
  draft.beginStep(newId);
  const caller = draft.caller === null ? 'system' : { user_id: draft.caller };
  const target = admit(draft, caller, handler, id, input);
  const valid = validInput(input);
  // Later steps name what this one creates by this id, so no other will do.
  if (newId !== null && !draft.isNew(newId))
    throw new AppError('conflict', 'Idempotency-Key: something on the board has or had an id that follows from this key; use another key');
  return handler.run(draft, target, valid);
}

function recordsOf(draft: Draft, { op, target }: BatchStep): number {
  switch (op) {
    case 'column.update':
    case 'column.move':
    case 'column.delete':
      return draft.children('card', target).size;
    case 'label.delete':
      return draft.size.count('card') / CARDS_PER_RECORD;
    default:
      return 1;
  }
}

function tooMany(): AppError {
  return new AppError(
    'limit',
    `The operations of a batch can concern at most ${MAX_BATCH_RECORDS} records. Send this one with a request of its own.`,
  );
}
