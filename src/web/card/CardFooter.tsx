import { useState } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { nameOf } from '../state/people.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Button } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { formatDay } from './formats.js';

interface CardFooterProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly onDelete: () => void;
}

/** Who created the card and when, and its end. */
export function CardFooter({ open, card, onDelete }: CardFooterProps) {
  const [isAsking, setAsking] = useState(false);
  const author = card.created_by === null ? undefined : open.memberOf(card.created_by);
  return (
    <footer class="card-footer">
      <p class="hint">
        Created{' '}
        {author !== undefined && (
          <>
            by <bdi>{nameOf(author.user)}</bdi>{' '}
          </>
        )}
        on <time dateTime={card.created_at}>{formatDay(card.created_at)}</time>
      </p>
      <Button kind="quiet" icon="trash" onClick={() => setAsking(true)}>
        Delete the card
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Delete the card?"
          text={
            <>
              “<bdi>{card.title}</bdi>” and everything on it will be gone for all members.
            </>
          }
          action="Delete the card"
          onClose={() => setAsking(false)}
          onConfirm={() => {
            onDelete();
            void open.change('card.delete', { card_id: card.id });
          }}
        />
      )}
    </footer>
  );
}
