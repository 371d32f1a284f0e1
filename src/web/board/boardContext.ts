/** What the parts of a board share. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OpenBoard } from '../state/openBoard.js';
import type { Dragging } from './moving/dragging.js';
import type { Glide } from './moving/glide.js';

export interface BoardTools {
  readonly open: OpenBoard;
  readonly dragging: Dragging;
  readonly glide: Glide;
  /** Opens the dialog that asks where to. */
  readonly askWhereTo: (cardId: string) => void;
}

export const BoardContext = createContext<BoardTools | null>(null);

export function useBoard(): BoardTools {
  const tools = useContext(BoardContext);
  if (tools === null) throw new Error('this part belongs on a board');
  return tools;
}
