import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { descriptionKey } from './text/descriptionKey.js';
import { draftOf, keepDraft } from '../state/drafts.js';

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
    <Dialog title={wasDeleted ? 'This card is gone' : 'There is no such card'} onClose={onClose}>
      <p role="status">{wasDeleted ? 'Somebody deleted it while it was open.' : 'It was deleted, or the address was copied in part.'}</p>
      {draft !== null && (
        <div class="field card-lost">
          <label for="lost-text">Your text that was not saved</label>
          <textarea id="lost-text" rows={6} readOnly dir="auto" value={draft.text} />
        </div>
      )}
      <footer class="dialog-actions">
        <Button kind="primary" autofocus onClick={close}>
          Back to the board
        </Button>
      </footer>
    </Dialog>
  );
}
