import { useState } from 'preact/hooks';
import type { Column } from '../../client/index.js';
import { ColorChoice } from '../ui/form/ColorChoice.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { MenuItem, Popover } from '../ui/Menu.js';
import { useBoard } from './boardContext.js';

export function ColumnMenu({ column }: { readonly column: Column }) {
  const { open } = useBoard();
  const [isAsking, setAsking] = useState(false);
  const count = column.cards.length;
  const columns = open.board.value?.columns ?? [];
  const at = columns.findIndex(({ id }) => id === column.id);
  const move = (position: number): void => void open.change('column.move', { column_id: column.id }, { position });
  return (
    <div data-no-drag>
      <Popover icon="dots" label={`Actions for the column ${column.title}`}>
        {(close) => (
          <>
            <MenuItem
              icon="add"
              onChoose={() => {
                close();
                open.addingTo.value = column.id;
              }}
            >
              Add a card
            </MenuItem>
            <MenuItem
              icon="check"
              onChoose={() => {
                close();
                void open.change('column.update', { column_id: column.id }, { is_done_column: !column.is_done_column });
              }}
            >
              {column.is_done_column ? 'No longer the done column' : 'Cards here are done'}
            </MenuItem>
            {at > 0 && (
              <MenuItem
                icon="left"
                onChoose={() => {
                  close();
                  move(at - 1);
                }}
              >
                Move left
              </MenuItem>
            )}
            {at < columns.length - 1 && (
              <MenuItem
                icon="right"
                onChoose={() => {
                  close();
                  move(at + 1);
                }}
              >
                Move right
              </MenuItem>
            )}
            <ColorChoice
              label="Colour of the column"
              value={column.color}
              onChange={(color) => void open.change('column.update', { column_id: column.id }, { color })}
            />
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
          title="Delete the column?"
          text={
            <>
              “<bdi>{column.title}</bdi>” and its {count === 1 ? 'one card' : `${count} cards`} will be gone for all members.
            </>
          }
          action="Delete the column"
          onClose={() => setAsking(false)}
          onConfirm={() => void open.change('column.delete', { column_id: column.id })}
        />
      )}
    </div>
  );
}
