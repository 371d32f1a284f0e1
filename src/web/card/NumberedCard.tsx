/** The card of an address with a number: found on the board, or asked for, and shown at its own address. */
import { useEffect, useState } from 'preact/hooks';
import type { OpenBoard } from '../state/openBoard.js';
import { cardPath, navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { GoneCard } from './GoneCard.js';

interface NumberedCardProps {
  readonly open: OpenBoard;
  readonly number: number;
  readonly onClose: () => void;
}

export function NumberedCard({ open, number, onClose }: NumberedCardProps) {
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    let isOver = false;
    const show = (id: string): void => {
      if (!isOver) navigate(cardPath(open.id, id), 'replace');
    };
    const cards = open.board.peek()?.columns.flatMap((column) => column.cards) ?? [];
    const found = cards.find((card) => card.number === number);
    if (found !== undefined) show(found.id);
    else
      client.card.find({ board_id: open.id, number }).then(
        ({ id }) => show(id),
        () => !isOver && setMissing(true),
      );
    return () => {
      isOver = true;
    };
  }, [open, number]);
  return isMissing ? <GoneCard open={open} cardId="" wasDeleted={false} onClose={onClose} /> : null;
}
