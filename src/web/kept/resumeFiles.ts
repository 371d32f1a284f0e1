import { loadPart } from '../page/loadPart.js';
import { effect } from '@preact/signals';
import { refusedFiles } from '../unsaved/files.js';
import { session } from '../state/session.js';
import { mayHaveFiles } from './fileStore.js';

/** After each login, sends the files that a window of the user left behind. Returns what ends it. */
export function followLogins(): () => void {
  let resumedFor: string | null = null;
  return effect(() => {
    const { value } = session;
    if (value.kind === 'out') {
      resumedFor = null;
      refusedFiles.value = [];
    }
    if (value.kind !== 'in' || value.user.id === resumedFor) return;
    resumedFor = value.user.id;
    resume(value.user.id).catch((error: unknown) => console.warn(error));
  });
}

/** What sends files is loaded only if some were left. */
async function resume(userId: string): Promise<void> {
  if (!(await mayHaveFiles())) return;
  const { resumeUploads } = await loadPart(() => import('../card/files/uploads.js'));
  await resumeUploads(userId);
}
