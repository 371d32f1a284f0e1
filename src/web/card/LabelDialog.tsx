/** The labels of a card, chosen without opening it. */
import type { Card } from '../../client/index.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Dialog } from '../ui/Dialog.js';
import { sayWith } from '../words/catalogue.js';
import { LabelChoice } from './LabelChoice.js';

interface LabelDialogProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly onClose: () => void;
}

export function LabelDialog({ open, card, onClose }: LabelDialogProps) {
  return (
    <Dialog title={<>{sayWith('card.labelsOf', { title: <bdi>{card.title}</bdi> })}</>} onClose={onClose}>
      <LabelChoice open={open} card={card} />
    </Dialog>
  );
}
