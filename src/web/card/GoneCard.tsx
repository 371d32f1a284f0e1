import { useEffect, useState } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import type { OpenBoard } from '../state/openBoard.js';
import { cardPath } from '../state/route.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Dialog } from '../ui/Dialog.js';
import { LostDrafts } from '../ui/LostDrafts.js';
import { draftsFor, keepDraft } from '../state/drafts.js';
import { say } from '../words/catalogue.js';

interface GoneCardProps {
  readonly open: OpenBoard;
  /** Empty if it is not known. */
  readonly cardId: string;
  /** It was shown before. */
  readonly wasDeleted: boolean;
  readonly onClose: () => void;
}

/** Instead of a card that does not exist, or no longer: the way to where it moved, and what was typed for it, which can still be copied. */
export function GoneCard({ open, cardId, wasDeleted, onClose }: GoneCardProps) {
  const moved = useMoved(open, cardId);
  const title = moved !== null ? say('gone.movedTitle') : wasDeleted ? say('gone.title') : say('gone.never');
  const drafts = draftsFor({ cardId });
  const [isAsking, setAsking] = useState(false);
  // A text that is lost by one key would be lost by accident, and this is the only place of it.
  const close = (): void => (drafts.length > 0 ? setAsking(true) : onClose());
  const leave = (): void => {
    for (const { key } of drafts) keepDraft(key, null);
    onClose();
  };
  return (
    <Dialog title={title} onClose={close}>
      <p role="status">{moved !== null ? say('gone.moved') : wasDeleted ? say('gone.deleted') : say('gone.unknown')}</p>
      {moved !== null && (
        <p>
          <a class="lone-link" data-replaces href={cardPath(moved.board_id, moved.id)} dir="auto">
            {moved.title}
          </a>
        </p>
      )}
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

/** The card on another board, if it moved there and the user may read it. */
function useMoved(open: OpenBoard, cardId: string): Card | null {
  const [moved, setMoved] = useState<Card | null>(null);
  useEffect(() => {
    if (cardId === '') return undefined;
    let isOver = false;
    client.card.get({ card_id: cardId }).then(
      (card) => !isOver && card.board_id !== open.id && setMoved(card),
      // It is gone, or the service is away: nothing more is known.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [open, cardId]);
  return moved;
}
