import t from 'tap';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packagePath } from '../src/paths.js';

const run = promisify(execFile);

const CHECKS = {
  'the sources are formatted: npm run format': ['oxfmt', '--check'],
  'the linter finds no mistake': ['oxlint'],
  'every export and every dependency is used': ['knip', '--no-progress'],
} as const;

for (const [title, [program, ...args]] of Object.entries(CHECKS)) {
  t.test(title, async (t) => {
    try {
      await run(packagePath('node_modules', '.bin', program), args, { cwd: packagePath() });
    } catch (error) {
      t.fail(error instanceof Error && 'stdout' in error ? `${String(error.stdout)}${error.message}` : String(error));
    }
  });
}
