/** Everything about a board that is not a card: members, labels, rules, export and deletion. */
import type { OpenBoard } from '../state/openBoard.js';
import { Dialog } from '../ui/Dialog.js';

interface BoardPanelProps {
  readonly open: OpenBoard;
  readonly onClose: () => void;
}

export function BoardPanel({ open, onClose }: BoardPanelProps) {
  return (
    <Dialog title="Board" size="large" onClose={onClose}>
      <p>{open.board.value?.title}</p>
    </Dialog>
  );
}
