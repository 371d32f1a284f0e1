/** Dialogs about a card on the board: where to, which labels, and whether to delete it. */
import { deleteCard } from '../activity/loadUndoing.js';
import { useEffect } from 'preact/hooks';
import { notify } from '../state/notices.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { say, sayWith } from '../words/catalogue.js';
import type { CardQuestion } from './boardContext.js';
import { useBoard } from './boardContext.js';
import { BoardChoice, LabelDialog, MoveDialog } from './boardParts.js';

interface CardQuestionsProps {
  readonly question: CardQuestion;
  readonly onClose: () => void;
}

export function CardQuestions({ question: { kind, cardId }, onClose }: CardQuestionsProps) {
  const { open } = useBoard();
  const card = open.card(cardId);
  const isGone = card === undefined;
  const mayChange = open.mayChange.value;
  useEffect(() => {
    if (!mayChange) onClose();
  }, [mayChange]);
  // Otherwise the dialog would vanish without a word, and come back with the card.
  useEffect(() => {
    if (!isGone) return;
    if (open.movingAway.peek() !== cardId) notify('info', say('moving.gone'));
    onClose();
  }, [isGone]);
  if (card === undefined || !mayChange) return null;
  switch (kind) {
    case 'move':
      return <MoveDialog card={card} onClose={onClose} />;
    case 'otherBoard':
      return <BoardChoice open={open} card={card} onClose={onClose} />;
    case 'labels':
      return <LabelDialog open={open} card={card} onClose={onClose} />;
    case 'delete':
      return (
        <ConfirmDialog
          title={say('card.deleteQuestion')}
          text={sayWith('card.deleteText', { title: <bdi>{card.title}</bdi> })}
          action={say('card.delete')}
          onClose={onClose}
          onConfirm={() => deleteCard(open, card)}
        />
      );
  }
}
