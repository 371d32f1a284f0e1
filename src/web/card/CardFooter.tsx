import { archiveCard, deleteCard } from '../activity/loadUndoing.js';
import { useState } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { nameOf } from '../state/people.js';
import { WatchCard } from '../notifications/Watch.js';
import type { OpenBoard } from '../state/openBoard.js';
import { cardPath } from '../state/route.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { BoardChoice } from './BoardChoice.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { say, sayWith } from '../words/catalogue.js';
import { keepFocusAfterRemoval } from '../ui/keepFocus.js';
import { formatDay } from '../state/relativeTime.js';

interface CardFooterProps {
  readonly open: OpenBoard;
  readonly card: Card;
  readonly onDelete: () => void;
}

/** Who created the card and when, and its end. */
export function CardFooter({ open, card, onDelete }: CardFooterProps) {
  const [isAsking, setAsking] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const author = card.created_by === null ? undefined : open.memberOf(card.created_by);
  const day = <time dateTime={card.created_at}>{formatDay(card.created_at)}</time>;
  return (
    <>
      <footer class="card-footer">
        <p class="hint">
          {author === undefined ? sayWith('card.created', { day }) : sayWith('card.createdBy', { name: <bdi>{nameOf(author.user)}</bdi>, day })}
        </p>
        <WatchCard cardId={card.id} />
        <CopyButton kind="quiet" icon="link" text={location.origin + cardPath(card.board_id, card.id)}>
          {say('card.copyLink')}
        </CopyButton>
        {open.mayChange.value && (
          <Button kind="quiet" icon="board" onClick={() => setMoving(true)}>
            {say('card.moveToBoard')}
          </Button>
        )}
        {open.mayChange.value && (
          <Button
            kind="quiet"
            icon="archive"
            onClick={() => {
              keepFocusAfterRemoval(document.querySelector(`.column [data-card-id="${card.id}"]`));
              onDelete();
              archiveCard(open, card);
            }}
          >
            {say('common.archive')}
          </Button>
        )}
        {open.mayChange.value && (
          <Button kind="quiet" icon="trash" class="is-delete" onClick={() => setAsking(true)}>
            {say('card.delete')}
          </Button>
        )}
        {isAsking && open.mayChange.value && (
          <ConfirmDialog
            title={say('card.deleteQuestion')}
            text={sayWith('card.deleteText', { title: <bdi>{card.title}</bdi> })}
            action={say('card.delete')}
            onClose={() => setAsking(false)}
            onConfirm={() => {
              keepFocusAfterRemoval(document.querySelector(`.column [data-card-id="${card.id}"]`));
              onDelete();
              deleteCard(open, card);
            }}
          />
        )}
      </footer>
      {isMoving && open.mayChange.value && <BoardChoice open={open} card={card} onClose={() => setMoving(false)} />}
    </>
  );
}
