import { keepDraft, type NamedDraft } from '../state/drafts.js';
import { say } from '../words/catalogue.js';
import { Button } from './form/Button.js';
import { CopyButton } from './form/CopyButton.js';

/** What was typed for a thing that is gone: it can be copied, and goes only if the user says so. */
export function LostDrafts({ drafts }: { readonly drafts: readonly NamedDraft[] }) {
  return (
    <>
      {drafts.map(({ key, draft: { text } }) => (
        <div key={key} class="field card-lost">
          <textarea aria-label={say('gone.yourText')} rows={Math.min(6, text.split('\n').length + 1)} readOnly dir="auto" value={text} />
          <div class="row">
            <CopyButton text={text}>{say('common.copy')}</CopyButton>
            <Button kind="quiet" onClick={() => keepDraft(key, null)}>
              {say('common.discard')}
            </Button>
          </div>
        </div>
      ))}
    </>
  );
}
