import { archiveColumn, deleteColumn, moveColumn } from '../../activity/loadUndoing.js';
import { useState } from 'preact/hooks';
import type { Column } from '../../../client/index.js';
import { ColorChoice } from '../../ui/form/ColorChoice.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { keepFocusAfterRemoval } from '../../ui/keepFocus.js';
import { MenuItem, Popover } from '../../ui/Menu.js';
import { WatchItem } from '../boardParts.js';
import { useBoard } from '../boardContext.js';
import { copy } from '../../copying/loadCopying.js';
import { say, sayWith } from '../../words/catalogue.js';

export function ColumnMenu({ column }: { readonly column: Column }) {
  const { open } = useBoard();
  const [isAsking, setAsking] = useState(false);
  const count = column.cards.length;
  const columns = open.board.value?.columns ?? [];
  const at = columns.findIndex(({ id }) => id === column.id);
  return (
    <div data-no-drag>
      <Popover icon="dots" label={say('column.actions', { title: column.title })}>
        {(close) => (
          <>
            <MenuItem
              icon="add"
              onChoose={() => {
                close();
                open.addingTo.value = column.id;
              }}
            >
              {say('column.addCard')}
            </MenuItem>
            <MenuItem
              icon="check"
              onChoose={() => {
                close();
                void open.change('column.update', { column_id: column.id }, { is_done_column: !column.is_done_column });
              }}
            >
              {column.is_done_column ? say('column.notDone') : say('column.isDone')}
            </MenuItem>
            {at > 0 && (
              <MenuItem
                icon="left"
                onChoose={() => {
                  close();
                  moveColumn(open, column, columns[at - 1]?.id ?? null);
                }}
              >
                {say('column.left')}
              </MenuItem>
            )}
            {at < columns.length - 1 && (
              <MenuItem
                icon="right"
                onChoose={() => {
                  close();
                  moveColumn(open, column, columns[at + 2]?.id ?? null);
                }}
              >
                {say('column.right')}
              </MenuItem>
            )}
            <ColorChoice
              label={say('column.color')}
              value={column.color}
              onChange={(color) => void open.change('column.update', { column_id: column.id }, { color })}
            />
            <MenuItem
              icon="copy"
              onChoose={() => {
                close();
                copy(async ({ copyColumn }) => copyColumn(open, column));
              }}
            >
              {say('common.copy')}
            </MenuItem>
            <MenuItem
              icon="archive"
              onChoose={() => {
                close();
                keepFocusAfterRemoval(document.querySelector(`[data-column-id="${column.id}"]`));
                archiveColumn(open, column);
              }}
            >
              {say('common.archive')}
            </MenuItem>
            <MenuItem
              icon="trash"
              isDanger
              onChoose={() => {
                close();
                setAsking(true);
              }}
            >
              {say('common.delete')}
            </MenuItem>
            <WatchItem kind="column" id={column.id} onChosen={close} />
          </>
        )}
      </Popover>
      {isAsking && (
        <ConfirmDialog
          title={say('column.deleteQuestion')}
          text={sayWith('column.deleteText', { title: <bdi>{column.title}</bdi>, count })}
          action={say('column.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => deleteColumn(open, column)}
        />
      )}
    </div>
  );
}
