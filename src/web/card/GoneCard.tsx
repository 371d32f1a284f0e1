import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { descriptionKey } from './text/descriptionKey.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import { say } from '../words/catalogue.js';

interface GoneCardProps {
  readonly cardId: string;
  /** It was shown before. */
  readonly wasDeleted: boolean;
  readonly onClose: () => void;
}

/** Instead of a card that does not exist, or no longer: what was typed for it can still be copied. */
export function GoneCard({ cardId, wasDeleted, onClose }: GoneCardProps) {
  const key = descriptionKey(cardId);
  const draft = draftOf(key);
  const close = (): void => {
    keepDraft(key, null);
    onClose();
  };
  return (
    <Dialog title={wasDeleted ? say('gone.title') : say('gone.never')} onClose={onClose}>
      <p role="status">{wasDeleted ? say('gone.deleted') : say('gone.unknown')}</p>
      {draft !== null && (
        <div class="field card-lost">
          <label for="lost-text">{say('gone.yourText')}</label>
          <textarea id="lost-text" rows={6} readOnly dir="auto" value={draft.text} />
        </div>
      )}
      <footer class="dialog-actions">
        <Button kind="primary" autofocus onClick={close}>
          {say('gone.back')}
        </Button>
      </footer>
    </Dialog>
  );
}
