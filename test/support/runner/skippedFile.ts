/** A test file all of whose tests need something that is missing. */
import t from 'tap';

/** Set in a process that runs several files. */
export const TOGETHER = 'TEST_FILES_TOGETHER';

/** Ends the file, not the process of other files. */
export class SkippedFile extends Error {}

/** Called before the file's first test. */
export function skipFile(title: string, reason: string): never {
  t.pass(title, { skip: reason });
  if (process.env[TOGETHER] === '1') throw new SkippedFile(reason);
  process.exit(0);
}
