/** A card with everything on it. */
import { useEffect, useRef } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Dialog } from '../ui/Dialog.js';
import { CardActivity } from '../activity/CardActivity.js';
import { Comments } from '../comments/Comments.js';
import { InlineText } from '../ui/form/InlineText.js';
import { CardFacts } from './CardFacts.js';
import { CardFooter } from './CardFooter.js';
import { Checklists } from './checklist/Checklists.js';
import { Description } from './text/Description.js';
import { Files } from './files/Files.js';
import { GoneCard } from './GoneCard.js';
import { hasFocusNowhere } from '../ui/keepFocus.js';
import { say } from '../words/catalogue.js';

interface CardDialogProps {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly onClose: () => void;
}

export function CardDialog({ open, cardId, onClose }: CardDialogProps) {
  const card = open.card(cardId);
  const wasThere = useRef(false);
  if (card !== undefined) wasThere.current = true;
  useEffect(() => () => returnFocus(open, cardId), [open, cardId]);
  // It is shown on the other board in a moment.
  if (card === undefined && open.movingAway.value === cardId) return null;
  if (card === undefined) return <GoneCard key={cardId} open={open} cardId={cardId} wasDeleted={wasThere.current} onClose={onClose} />;
  return <OpenCard key={cardId} open={open} card={card} onClose={onClose} />;
}

interface OpenCardProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly onClose: () => void;
}

function OpenCard({ open, card, onClose }: OpenCardProps) {
  const rename = (title: string, isOvertaken: boolean): void => open.saveText(isOvertaken, 'card.update', { card_id: card.id }, { title });
  return (
    <Dialog
      title={
        <InlineText class="card-heading" wraps value={card.title} label={say('card.title')} isDisabled={!open.mayChange.value} onChange={rename} />
      }
      label={card.title}
      size="large"
      onClose={onClose}
    >
      <div class="card-parts">
        <div class="card-side">
          <CardFacts open={open} card={card} />
        </div>
        <div class="card-main">
          <Description open={open} card={card} />
          <Checklists open={open} card={card} />
          <Files open={open} card={card} />
          <Comments open={open} card={card} />
          <CardActivity open={open} cardId={card.id} />
        </div>
        <CardFooter open={open} card={card} onDelete={onClose} />
      </div>
    </Dialog>
  );
}

/** To the card on the board, if the browser found nowhere better: after a deep link, or if the card was moved. */
function returnFocus(open: OpenBoard, cardId: string): void {
  requestAnimationFrame(() => {
    if (!hasFocusNowhere()) return;
    if (open.card(cardId) !== undefined) open.wanted.value = { id: cardId, focus: true };
    // A card that is gone leaves the board itself.
    else document.querySelector<HTMLElement>('.columns')?.focus({ preventScroll: true });
  });
}
