import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This file runs as `dist/src/paths.js`, two folders below the root of the package. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A file that is shipped with the package but not compiled: SQL, documents, `package.json`. */
export function packagePath(...parts: readonly string[]): string {
  return join(PACKAGE_ROOT, ...parts);
}
