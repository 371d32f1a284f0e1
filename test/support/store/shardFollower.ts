/** A copy of a shard that only applies the commits of the original, each encoded and decoded. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { ShardCommit } from '../../../src/domain/ports/shardCommit.js';
import { shardFile } from '../../../src/store/folder/dataFolder.js';
import { decodeCommit, encodeCommit } from '../../../src/store/shard/commitCodec.js';
import { openShard } from '../../../src/store/shard/openShard.js';
import type { Shard } from '../../../src/store/shard/shard.js';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

export class ShardFollower {
  readonly dataDir: string;
  readonly #shard: Shard;
  /** Of all commits as bytes. */
  bytes = 0;

  constructor(t: Test, dataDir: string) {
    this.dataDir = dataDir;
    this.#shard = openShard({ dataDir, shard: 0, shards: 1, durability: 'normal' });
    t.teardown(() => this.#shard.close());
  }

  get number(): number {
    return this.#shard.number;
  }

  readonly apply = (commit: ShardCommit): void => {
    const bytes = encodeCommit(commit);
    this.bytes += bytes.length;
    this.#shard.apply(decodeCommit(bytes));
  };
}

/** All rows of all tables of a file, except for the times of its migrations. */
export function rowsOf(dataDir: string, file = shardFile(0)): Record<string, string[]> {
  const db = new Sqlite(join(dataDir, file), { readonly: true });
  try {
    const tables = db
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_version', 'probe') ORDER BY name`)
      .pluck()
      .all();
    const rows = (table: string): string[] =>
      db
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => JSON.stringify(row))
        .sort();
    return Object.fromEntries(tables.map((table) => [table, rows(table)]));
  } finally {
    db.close();
  }
}
