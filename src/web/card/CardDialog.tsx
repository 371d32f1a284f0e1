/** A card with everything on it. */
import type { OpenBoard } from '../state/openBoard.js';
import { Dialog } from '../ui/Dialog.js';

interface CardDialogProps {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly onClose: () => void;
}

export function CardDialog({ open, cardId, onClose }: CardDialogProps) {
  const card = open.card(cardId);
  return (
    <Dialog title={card?.title ?? 'Card'} size="large" onClose={onClose}>
      <p>{card?.description}</p>
    </Dialog>
  );
}
