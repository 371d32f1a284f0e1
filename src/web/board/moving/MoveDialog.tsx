/** Moves a card without dragging: to a column, to a position. */
import { useState } from 'preact/hooks';
import type { Card } from '../../../client/index.js';
import { announce } from '../../state/notices.js';
import { Button } from '../../ui/form/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { useBoard } from '../boardContext.js';

interface MoveDialogProps {
  readonly card: Card;
  readonly onClose: () => void;
}

export function MoveDialog({ card, onClose }: MoveDialogProps) {
  const { open } = useBoard();
  const columns = open.board.value?.columns ?? [];
  const [columnId, setColumnId] = useState(card.column_id);
  const [beforeId, setBeforeId] = useState('');
  const others = (open.column(columnId)?.cards ?? []).filter(({ id }) => id !== card.id);
  return (
    <Dialog
      title={
        <>
          Move “<bdi>{card.title}</bdi>”
        </>
      }
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          open.moveCard(card, { columnId, beforeId: beforeId === '' ? null : beforeId });
          announce(`Moved to ${open.column(columnId)?.title ?? ''}`);
          onClose();
          open.wanted.value = { id: card.id, focus: true };
        }}
      >
        <div class="field">
          <label for="move-column">Column</label>
          <select
            id="move-column"
            value={columnId}
            onChange={(event) => {
              setColumnId(event.currentTarget.value);
              setBeforeId('');
            }}
          >
            {columns.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="move-position">Position</label>
          <select id="move-position" value={beforeId} onChange={(event) => setBeforeId(event.currentTarget.value)}>
            {others.map(({ id, title }, index) => (
              <option key={id} value={id}>
                {index + 1}: before {title}
              </option>
            ))}
            <option value="">{others.length + 1}: last</option>
          </select>
        </div>
        <footer class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Move
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
