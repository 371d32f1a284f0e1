import { useState } from 'preact/hooks';
import type { OpenBoard } from '../state/openBoard.js';
import { Button } from '../ui/Button.js';
import { lazy } from '../ui/Lazy.js';

const BoardPanel = lazy(async () => (await import('../panel/BoardPanel.js')).BoardPanel);

/** Opens everything about the board that is not a card. */
export function BoardMenu({ open }: { readonly open: OpenBoard }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" icon="gear" onClick={() => setOpen(true)}>Board</Button>
      {isOpen && <BoardPanel open={open} onClose={() => setOpen(false)} />}
    </>
  );
}
