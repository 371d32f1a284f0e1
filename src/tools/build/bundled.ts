/**
 * Runs a file of the bundled program with what V8 made of it when it was built: a start compiled two megabytes in each thread that
 * needs them. The build copies this module beside the bundles, so it imports nothing of ours.
 */
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

type Run = (exports: object, require: NodeJS.Require, module: object, filename: string, dirname: string) => void;

/** The parameters of a CommonJS module, on its first line, so that the lines keep their numbers. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';

/** The script can import nothing later: V8 forgets who would do it in what it caches. */
export function compileBundle(file: string, cachedData?: Buffer): vm.Script {
  const source = readFileSync(file, 'utf8').replace(/^#!/, '//');
  const cached = cachedData === undefined ? {} : { cachedData };
  return new vm.Script(HEAD + source + TAIL, { filename: file, ...cached });
}

/**
 * `address` is that of the module beside the bundle. V8 refuses what another version made, or was made of a text of another length,
 * and compiles the text. Source maps are found for modules that Node loads itself.
 *
 * @public Called by the files that the build writes.
 */
export function runBundle(address: string): void {
  const file = fileURLToPath(address).replace(/\.js$/, '.cjs');
  const require = createRequire(file);
  const cached = process.sourceMapsEnabled ? null : readCache(file);
  if (cached === null) return void require(file);
  const module = { exports: {} };
  (compileBundle(file, cached).runInThisContext() as Run)(module.exports, require, module, file, dirname(file));
}

export function cacheOf(file: string): string {
  return `${file}.cache`;
}

/** Null if there is none, or the bundle was edited since it was made. */
function readCache(file: string): Buffer | null {
  const cache = cacheOf(file);
  const [made, edited] = [statSync(cache, { throwIfNoEntry: false }), statSync(file)];
  return made === undefined || made.mtimeMs < edited.mtimeMs ? null : readFileSync(cache);
}
