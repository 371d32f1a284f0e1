import type { Test } from 'tap';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, deleted after the test. Its path is short enough for a Unix domain socket inside. */
export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
