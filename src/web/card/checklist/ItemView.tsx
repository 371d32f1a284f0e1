import { useEffect, useRef } from 'preact/hooks';
import type { ChecklistItem } from '../../../client/index.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { Avatar } from '../../ui/Avatar.js';
import { DateField } from '../../dates/DateField.js';
import { DueDate } from '../../dates/DueDate.js';
import { Icon } from '../../ui/Icon.js';
import { keepFocusAfterRemoval } from '../../ui/keepFocus.js';
import { MenuItem, Popover } from '../../ui/Menu.js';
import type { ItemDragging } from './itemDragging.js';
import { onItemKey } from './itemKeys.js';
import { ItemText } from './ItemText.js';
import { PeopleChoice } from '../PeopleChoice.js';
import { say } from '../../words/catalogue.js';

interface ItemViewProps {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly item: ChecklistItem;
  readonly dragging: ItemDragging;
  /** The lifted item would be dropped before this one. */
  readonly isMarked: boolean;
  readonly isLifted: boolean;
}

export function ItemView({ open, cardId, item, dragging, isMarked, isLifted }: ItemViewProps) {
  const grip = useRef<HTMLButtonElement>(null);
  const row = useRef<HTMLLIElement>(null);
  const { id, content, is_done, due_at, assignees } = item;
  const path = { item_id: id };
  const mayChange = open.mayChange.value;
  useEffect(() => {
    if (dragging.dropped !== id) return;
    dragging.dropped = null;
    grip.current?.focus();
  });
  useEffect(() => {
    if (isMarked && dragging.current.value?.by === 'keyboard') row.current?.scrollIntoView({ block: 'nearest' });
  }, [isMarked]);
  return (
    <li ref={row} class={`item${is_done ? ' is-done' : ''}${isMarked ? ' is-marked' : ''}${isLifted ? ' is-lifted' : ''}`} data-item-id={id}>
      {mayChange && (
        <button
          ref={grip}
          type="button"
          class="item-grip"
          data-item-grip
          aria-label={say('item.move', { content })}
          aria-describedby="item-help"
          title={say('item.drag')}
          onKeyDown={(event) => {
            if (!onItemKey({ open, cardId, dragging }, id, event.key)) return;
            event.preventDefault();
            event.stopPropagation();
          }}
          onFocusOut={() => {
            if (dragging.current.value?.by === 'keyboard') dragging.set(null);
          }}
        >
          <Icon name="grip" />
        </button>
      )}
      <label class="item-tick">
        <input
          type="checkbox"
          checked={is_done}
          disabled={!mayChange}
          aria-label={content}
          onChange={() => void open.change('item.update', path, { is_done: !is_done })}
        />
      </label>
      <ItemText open={open} cardId={cardId} item={item} />
      <div class="item-tools">
        <DueDate card={{ due_at, completed_at: is_done ? due_at : null }} />
        {assignees.length > 0 && (
          <span class="faces">
            {assignees.map((user) => (
              <Avatar key={user.id} id={user.id} user={user} isSmall />
            ))}
          </span>
        )}
        {mayChange && (
          <Popover icon="dots" label={say('item.actions', { content })}>
            {(close) => (
              <>
                <PeopleChoice
                  open={open}
                  chosen={assignees}
                  onAdd={(userId) => void open.change('item.assign', path, { user_ids: [userId] })}
                  onRemove={(userId) => void open.change('item.unassign', { ...path, user_id: userId })}
                />
                <div class="choices dates">
                  <DateField label={say('dates.due')} value={due_at} onChange={(date) => void open.change('item.update', path, { due_at: date })} />
                </div>
                <MenuItem
                  icon="trash"
                  isDanger
                  onChoose={() => {
                    close();
                    keepFocusAfterRemoval(row.current);
                    void open.change('item.delete', path);
                  }}
                >
                  {say('item.delete')}
                </MenuItem>
              </>
            )}
          </Popover>
        )}
      </div>
    </li>
  );
}
