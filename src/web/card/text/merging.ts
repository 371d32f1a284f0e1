/** Merges of texts that two have edited. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../../client/index.js';
import { draftOf, keepDraft } from '../../state/drafts.js';
import { attempt, InputError } from '../../state/notices.js';
import { say } from '../../words/catalogue.js';

interface Merging {
  /** Its field is read-only: what is typed meanwhile would be in neither text. */
  readonly isMerging: boolean;
  /** Ends the draft if it is merged. */
  merge(text: string, send: () => Promise<unknown>): Promise<void>;
}

export function useMerging(draftKey: string, onMerged: () => void): Merging {
  const [isMerging, setMerging] = useState(false);
  return {
    isMerging,
    async merge(text, send) {
      if (isMerging) return;
      setMerging(true);
      const isMerged = await tryMerging(send);
      setMerging(false);
      // The dialog may have been opened again, and another text typed there.
      if (!isMerged || draftOf(draftKey)?.text !== text) return;
      keepDraft(draftKey, null);
      onMerged();
    },
  };
}

/** Answers whether the texts are merged. Where they cannot be, the reader is told what is left to choose. */
function tryMerging(send: () => Promise<unknown>): Promise<boolean> {
  return attempt(say('editor.notMerged'), async () => {
    try {
      await send();
    } catch (error) {
      // An archived card is a conflict too, without a text.
      const isAboutText = error instanceof ApiError && 'text_version' in error.body;
      throw isAboutText ? new InputError(say('editor.sameWords')) : error;
    }
  });
}
