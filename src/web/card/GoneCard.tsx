import { useState } from 'preact/hooks';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { LostDrafts } from '../ui/LostDrafts.js';
import { draftsFor, keepDraft } from '../state/drafts.js';
import { say } from '../words/catalogue.js';

interface GoneCardProps {
  readonly cardId: string;
  /** It was shown before. */
  readonly wasDeleted: boolean;
  readonly onClose: () => void;
}

/** Instead of a card that does not exist, or no longer: what was typed for it can still be copied. */
export function GoneCard({ cardId, wasDeleted, onClose }: GoneCardProps) {
  const drafts = draftsFor({ cardId });
  const [isAsking, setAsking] = useState(false);
  // A text that is lost by one key would be lost by accident, and this is the only place of it.
  const close = (): void => (drafts.length > 0 ? setAsking(true) : onClose());
  const leave = (): void => {
    for (const { key } of drafts) keepDraft(key, null);
    onClose();
  };
  return (
    <Dialog title={wasDeleted ? say('gone.title') : say('gone.never')} onClose={close}>
      <p role="status">{wasDeleted ? say('gone.deleted') : say('gone.unknown')}</p>
      {drafts.length > 0 && <p>{say('gone.yourText')}</p>}
      <LostDrafts drafts={drafts} />
      {isAsking && drafts.length > 0 && <p role="alert">{say('gone.copyFirst')}</p>}
      <footer class="dialog-actions">
        <Button kind={drafts.length > 0 ? 'danger' : 'primary'} autofocus={drafts.length === 0} onClick={leave}>
          {drafts.length > 0 ? say('gone.discardAndBack') : say('gone.back')}
        </Button>
      </footer>
    </Dialog>
  );
}
