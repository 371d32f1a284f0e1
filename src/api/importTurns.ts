/**
 * Imports that work at the same time. A document takes a place when it has arrived, so a slow sender holds none, and
 * users take turns.
 */
import { FairLanes } from '../flow/fairLanes.js';
import type { Config } from '../settings/config.js';
import type { DocumentMemory } from './documentsPort.js';

/** Planning a document of this size takes a tenth of a second and some twenty megabytes. */
const LARGE_DOCUMENT_BYTES = 1024 * 1024;
/** The largest takes seconds, and two hundred megabytes with its plan. */
const MAX_LARGE = 1;

export function isLargeDocument(bytes: number): boolean {
  return bytes > LARGE_DOCUMENT_BYTES;
}

export type ImportSettings = Pick<Config, 'maxImports' | 'maxImportsPerUser'>;

export class ImportTurns {
  readonly #small: FairLanes;
  readonly #large = new FairLanes(MAX_LARGE, MAX_LARGE);

  constructor({ maxImports, maxImportsPerUser }: ImportSettings) {
    this.#small = new FairLanes(maxImports, maxImportsPerUser);
  }

  /** Runs the task in the user's turn. Rejects with the reason if the document is refused before. */
  async run<Result>(user: string, bytes: number, { memory }: { readonly memory?: DocumentMemory }, task: () => Promise<Result>): Promise<Result> {
    const lanes = isLargeDocument(bytes) ? this.#large : this.#small;
    let outcome: { readonly result: Result } | null = null;
    let refusal: Error | null = null;
    const perform = async (): Promise<void> => {
      // From now on the number of imports bounds the memory.
      memory?.keep(0);
      outcome = { result: await task() };
    };
    await lanes.runIfWanted(user, perform, (giveUp) =>
      memory?.onRefused((reason) => {
        refusal = reason;
        giveUp();
      }),
    );
    return resultOf(outcome, refusal);
  }
}

function resultOf<Result>(outcome: { readonly result: Result } | null, refusal: Error | null): Result {
  if (outcome === null) throw refusal ?? new Error('an import was neither carried out nor refused');
  return outcome.result;
}
