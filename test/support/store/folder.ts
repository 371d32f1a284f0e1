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

/** Of the folder of the system. A longer one leaves no room for the path of the control socket. */
const MAX_PARENT_LENGTH = '/dev/shm'.length;

/** The same with a short path: below /tmp where the folder of the system has a long one. */
export function shortFolder(t: Pick<Test, 'teardown'>): string {
  const parent = tmpdir().length <= MAX_PARENT_LENGTH ? tmpdir() : '/tmp';
  const folder = mkdtempSync(join(parent, 'sb-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
