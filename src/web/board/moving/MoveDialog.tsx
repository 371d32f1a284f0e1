/** Moves a card without dragging: to a column, to a position. */
import { useState } from 'preact/hooks';
import type { Card } from '../../../client/index.js';
import { moveCard } from '../../activity/loadUndoing.js';
import { announce } from '../../state/notices.js';
import { Button } from '../../ui/form/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { useBoard } from '../boardContext.js';
import { say, sayWith } from '../../words/catalogue.js';

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
    <Dialog title={<>{sayWith('move.title', { title: <bdi>{card.title}</bdi> })}</>} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          moveCard(open, card, { columnId, beforeId: beforeId === '' ? null : beforeId });
          announce(say('move.moved', { column: open.column(columnId)?.title ?? '' }));
          onClose();
          open.wanted.value = { id: card.id, focus: true };
        }}
      >
        <div class="field">
          <label for="move-column">{say('move.column')}</label>
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
          <label for="move-position">{say('move.position')}</label>
          <select id="move-position" value={beforeId} onChange={(event) => setBeforeId(event.currentTarget.value)}>
            {others.map(({ id, title }, index) => (
              <option key={id} value={id}>
                {say('move.before', { position: index + 1, title })}
              </option>
            ))}
            <option value="">{say('move.last', { position: others.length + 1 })}</option>
          </select>
        </div>
        <footer class="dialog-actions">
          <Button onClick={onClose}>{say('common.cancel')}</Button>
          <Button kind="primary" type="submit">
            {say('move.move')}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
