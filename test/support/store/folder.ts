import type { Test } from 'tap';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, deleted after the test. Its path is short enough for a Unix domain socket inside. */
export async function temporaryFolder(t: Pick<Test, 'teardown'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The same below /tmp: where the folder of the system has a long path, it has room for the control socket too. */
export function shortFolder(t: Pick<Test, 'teardown'>): string {
  const folder = mkdtempSync('/tmp/sb-');
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
