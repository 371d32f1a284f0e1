/** Opens a data file beside the store: to inspect it, to plant damage, or to copy it. */
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

export function sql(file: string, ...statements: readonly string[]): void {
  const db = new Sqlite(file);
  try {
    for (const statement of statements) db.exec(statement);
  } finally {
    db.close();
  }
}

export function query<Row>(file: string, statement: string): Row[] {
  const db = new Sqlite(file);
  try {
    return db.prepare<[], Row>(statement).all();
  } finally {
    db.close();
  }
}

/** As of one commit, whether the file is in use or not. */
export function copyDatabase(from: string, to: string): void {
  const db = new Sqlite(from);
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } finally {
    db.close();
  }
}
