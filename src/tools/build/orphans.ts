import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const COMPILED = /\.js(\.map)?$/;

/** tsc never deletes: imports and the test runner would still find a module whose source is gone. */
export function removeOrphans(sources: string, compiled: string): void {
  if (!existsSync(compiled)) return;
  for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
    if (!COMPILED.test(name) || existsSync(join(sources, name.replace(COMPILED, '.ts')))) continue;
    rmSync(join(compiled, name));
  }
}
