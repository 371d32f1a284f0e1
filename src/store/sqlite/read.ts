import type { Statement } from 'better-sqlite3';

/** A query that is prepared when it is first used: see `prepareRead`. */
export interface Read<Params extends unknown[], Row> {
  get(...params: Params): Row | undefined;
  all(...params: Params): Row[];
  iterate(...params: Params): IterableIterator<Row>;
}

/**
 * A file has almost two hundred statements, and most of them never run: preparing all of sixteen files took a fifth of a start.
 * Price: a statement that the schema does not fit fails when it is used, not when the file is opened.
 */
export function prepareRead<Params extends unknown[], Row>(prepare: () => Statement<Params, Row>): Read<Params, Row> {
  let statement: Statement<Params, Row> | null = null;
  return {
    get: (...params) => (statement ??= prepare()).get(...params),
    all: (...params) => (statement ??= prepare()).all(...params),
    iterate: (...params) => (statement ??= prepare()).iterate(...params),
  };
}
