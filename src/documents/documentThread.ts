/** The document thread: parses and validates bodies that would block the I/O thread. */
import { readlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { FindPeople, FoundPeople, PlannedImport } from '../api/documentsPort.js';
import type { Validated } from '../api/operation/validated.js';
import { parseBody, refusedBody, validateBody } from '../api/operation/validate.js';
import { operations } from '../api/operations/table.js';
import { memoryOf } from '../domain/content/sharedBytes.js';
import { memoryOfSlices } from '../domain/document/boardPlan.js';
import { AppError } from '../domain/errors.js';
import type { DocumentThreadSettings, FromThread, ToThread } from './messages.js';
import { planBoard } from './planner.js';

const port = parentPort;
if (port === null) throw new Error('documentThread is started as a worker thread');
const { limits } = workerData as DocumentThreadSettings;
const answer = (message: FromThread): void => {
  port.postMessage(message, message.kind === 'planned' ? memoryOfPlanned(message.planned) : []);
};

answer({ kind: 'ready', clock: clockOfThread() });

let onPeople: (people: FoundPeople) => void = () => undefined;

port.on('message', (message: ToThread) => {
  if (message.kind === 'people') onPeople(message.people);
  else perform(message).then(answer, (error: unknown) => answer(failure(error)));
});

function clockOfThread(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
  } catch {
    // Not Linux.
    return null;
  }
}

function memoryOfPlanned({ plan, newFiles }: PlannedImport): ArrayBuffer[] {
  return [...memoryOfSlices(plan), ...memoryOf(newFiles.map(({ bytes }) => bytes))];
}

async function perform(task: Exclude<ToThread, { kind: 'people' }>): Promise<FromThread> {
  if (task.kind === 'body') return { kind: 'validated', validated: validateLargeBody(task.operation, task.bytes) };
  const findPeople: FindPeople = (emails) =>
    new Promise((resolve) => {
      onPeople = resolve;
      answer({ kind: 'people', emails });
    });
  return { kind: 'planned', planned: await planBoard(task.request, findPeople, limits) };
}

function validateLargeBody(name: string, bytes: Uint8Array): Validated<unknown> {
  const body = operations.find((operation) => operation.name === name)?.body;
  if (body?.kind !== 'json' && body?.kind !== 'form') throw new Error(`the operation ${name} takes no body`);
  try {
    return validateBody(body, parseBody(body, bytes));
  } catch (error) {
    return refusedBody(error);
  }
}

function failure(error: unknown): FromThread {
  if (error instanceof AppError) return { kind: 'refused', error: error.toData() };
  return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
