import { useState } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { cardPath, navigate } from '../state/route.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { MenuItem, Popover } from '../ui/Menu.js';
import { useBoard } from './boardContext.js';

export function CardMenu({ card }: { readonly card: Card }) {
  const { open, askWhereTo } = useBoard();
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="card-menu" data-no-drag>
      <Popover icon="dots" label={`Actions for ${card.title}`}>
        {(close) => (
          <>
            <MenuItem icon="pencil" onChoose={() => navigate(cardPath(card.board_id, card.id))}>
              Open
            </MenuItem>
            <MenuItem
              icon="move"
              onChoose={() => {
                close();
                askWhereTo(card.id);
              }}
            >
              Move to…
            </MenuItem>
            <MenuItem
              icon="trash"
              isDanger
              onChoose={() => {
                close();
                setAsking(true);
              }}
            >
              Delete
            </MenuItem>
          </>
        )}
      </Popover>
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
          onConfirm={() => void open.change('card.delete', { card_id: card.id })}
        />
      )}
    </div>
  );
}
