/** Tests of what the directory decides: each runs on rows in memory and on rows in a file. */
import t, { type Test } from 'tap';
import { RunningDirectory } from './runningDirectory.js';
import { MemoryDirectory, type MemoryDirectoryOptions } from './memoryDirectory.js';

export type TestDirectory = Pick<RunningDirectory, 'runNow' | 'writeFor' | 'number' | 'close'>;
/** Errors fail the test unless `onError` takes them. */
export type OpenDirectory = (t: Test, options?: Partial<MemoryDirectoryOptions> & { readonly dataDir?: string }) => TestDirectory;

const openInMemory: OpenDirectory = (t, options = {}) => new MemoryDirectory({ onError: (error) => void t.error(error), ...options });

export const openInFile: OpenDirectory = (t, options = {}) => {
  const directory = new RunningDirectory({
    dataDir: options.dataDir ?? t.testdir(),
    durability: 'normal',
    onError: (error) => void t.error(error),
    ...options,
  });
  let isOpen = true;
  const close = (): void => {
    if (isOpen) directory.close();
    isOpen = false;
  };
  t.teardown(close);
  return {
    close,
    runNow: (commands) => directory.runNow(commands),
    writeFor: (schema) => directory.writeFor(schema),
    get number() {
      return directory.number;
    },
  };
};

/** The title begins with the rule. */
export function onBoth(title: string, body: (t: Test, open: OpenDirectory) => Promise<void> | void): void {
  void t.test(`${title} (in memory)`, async (t) => body(t, openInMemory));
  void t.test(`${title} (in a file)`, async (t) => body(t, openInFile));
}
