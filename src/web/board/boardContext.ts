/** What the parts of a board share. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OpenBoard } from '../state/openBoard.js';
import type { Dragging } from './moving/dragging.js';
import type { Glide } from './moving/glide.js';

/** A dialog about a card. */
export interface CardQuestion {
  readonly kind: 'move' | 'otherBoard' | 'labels' | 'delete';
  readonly cardId: string;
}

export interface BoardTools {
  readonly open: OpenBoard;
  readonly dragging: Dragging;
  readonly glide: Glide;
  readonly ask: (question: CardQuestion) => void;
}

export const BoardContext = createContext<BoardTools | null>(null);

export function useBoard(): BoardTools {
  const tools = useContext(BoardContext);
  if (tools === null) throw new Error('this part belongs on a board');
  return tools;
}
