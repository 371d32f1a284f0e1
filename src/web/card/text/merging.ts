/** Merges of texts that two have edited. */
import { ApiError } from '../../../client/index.js';
import { attempt, InputError } from '../../state/notices.js';
import { say } from '../../words/catalogue.js';

/** Answers whether the texts are merged. Where they cannot be, the reader is told what is left to choose. */
export function tryMerging(send: () => Promise<unknown>): Promise<boolean> {
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
