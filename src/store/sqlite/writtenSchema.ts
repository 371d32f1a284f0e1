import { AppError } from '../../domain/errors.js';

/**
 * The schema that commits are written for. While a program with an older schema lives in the cluster, it must be able to
 * read them.
 */
export class WrittenSchema {
  #schema = Number.POSITIVE_INFINITY;

  set(schema: number): void {
    this.#schema = schema;
  }

  /** Whether commits may contain what came with this schema. */
  has(schema: number): boolean {
    return this.#schema >= schema;
  }

  /** Refused with `unavailable`. */
  require(schema: number): void {
    if (this.has(schema)) return;
    throw new AppError('unavailable', 'An older version of the service is still running. Try again.');
  }
}
