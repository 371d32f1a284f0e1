/**
 * Two document threads: one for bodies, and one for documents, which take seconds and many times their size in memory.
 * So a body never waits for a document.
 */
import { Worker } from 'node:worker_threads';
import type { DocumentMemory, Documents, FindPeople, ImportRequest, PlannedImport } from '../api/documentsPort.js';
import { ImportTurns, isLargeDocument, type ImportSettings } from '../api/importTurns.js';
import type { Validated } from '../api/operation/validated.js';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { BoardLimits } from '../domain/limits.js';
import type { DocumentThreadSettings, FromThread } from './messages.js';
import { TaskThread, type Task } from './taskThread.js';

/** The worst document of 16 MiB takes a fifth of this. */
const MAX_HEAP_MB = 512;
/** A quarter of V8's default: a document is mostly kept until its plan is made, so a larger one collects no more. */
const MAX_YOUNG_MB = 12;
const IDLE_MS = 5_000;
/** A large document leaves more than a hundred megabytes, which only the end of its thread frees. */
const IDLE_AFTER_LARGE_MS = 0;

export interface DocumentThreadOptions {
  readonly limits: BoardLimits;
  readonly imports: ImportSettings;
  readonly onError: (error: Error) => void;
  readonly startThread?: (settings: DocumentThreadSettings) => Worker;
}

export class DocumentThreadClient implements Documents {
  readonly #bodies: TaskThread;
  readonly #documents: TaskThread;
  readonly #turns: ImportTurns;

  constructor({ limits, imports, onError, startThread = startDocumentThread }: DocumentThreadOptions) {
    const start = (): Worker => startThread({ limits });
    this.#bodies = new TaskThread({ start, idleMs, onError });
    this.#documents = new TaskThread({ start, idleMs, onError });
    this.#turns = new ImportTurns(imports);
  }

  async validateBody(operation: string, bytes: Uint8Array, caller: string): Promise<Validated<unknown>> {
    const noPeople: FindPeople = () => Promise.resolve({ users: [], notInvited: [] });
    const answer = await this.#bodies.perform({ kind: 'body', operation, bytes }, caller, noPeople);
    if (answer.kind !== 'validated') throw unexpected(answer);
    return answer.validated;
  }

  inTurn<Result>(user: Uuid, bytes: number, document: { readonly memory?: DocumentMemory }, task: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(user, bytes, document, task);
  }

  async planImport(request: ImportRequest, findPeople: FindPeople): Promise<PlannedImport> {
    const bytes = request.text.reduce((sum, piece) => sum + piece.length, 0);
    const answer = await this.#documents.perform({ kind: 'import', request, bytes }, request.importer.id, findPeople);
    if (answer.kind === 'refused') throw AppError.from(answer.error);
    if (answer.kind !== 'planned') throw unexpected(answer);
    return answer.planned;
  }

  async close(): Promise<void> {
    await Promise.all([this.#bodies.close(), this.#documents.close()]);
  }
}

function idleMs(last: Task): number {
  return last.kind === 'import' && isLargeDocument(last.bytes) ? IDLE_AFTER_LARGE_MS : IDLE_MS;
}

function startDocumentThread(settings: DocumentThreadSettings): Worker {
  return new Worker(new URL('./documentThread.js', import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
  });
}

function unexpected(answer: FromThread): AppError {
  const reason = answer.kind === 'failed' ? answer.reason : `an unexpected answer: ${answer.kind}`;
  return new AppError('internal', INTERNAL_ERROR.detail, { cause: new Error(`the document thread: ${reason}`) });
}
