/** A checklist: its title, how much of it is done, and its items. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Checklist } from '../../../client/index.js';
import { deleteChecklist } from '../../activity/loadUndoing.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { IconButton } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { keepFocusAfterRemoval } from '../../ui/keepFocus.js';
import { InlineText } from '../../ui/form/InlineText.js';
import type { ItemDragging } from './itemDragging.js';
import { ITEM_CHARACTERS, newItemKey } from './ItemText.js';
import { ItemView } from './ItemView.js';
import { NewText } from '../NewText.js';
import { formatNumber, say, sayWith } from '../../words/catalogue.js';

interface ChecklistViewProps {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly checklist: Checklist;
  readonly dragging: ItemDragging;
}

export function ChecklistView({ open, cardId, checklist, dragging }: ChecklistViewProps) {
  const [isAsking, setAsking] = useState(false);
  const { id, title, items } = checklist;
  const done = items.filter(({ is_done }) => is_done).length;
  const mayChange = open.mayChange.value;
  const lifted = dragging.current.value;
  const mark = lifted?.checklistId === id ? lifted.beforeId : undefined;
  const remove = (): void => deleteChecklist(open, checklist);
  return (
    <section class="card-part" aria-label={say('checklist.name', { title })} data-checklist-id={id}>
      <div class="card-part-header">
        <h3>
          <Icon name="checklist" />
          <InlineText
            value={title}
            label={say('checklist.title')}
            isDisabled={!mayChange}
            onChange={(text, isOvertaken) => open.saveText(isOvertaken, 'checklist.update', { checklist_id: id }, { title: text })}
          />
        </h3>
        {mayChange && (
          <IconButton
            icon="trash"
            label={say('checklist.deleteIt', { title })}
            onClick={({ currentTarget }) => {
              if (items.length > 0) return setAsking(true);
              keepFocusAfterRemoval(currentTarget);
              remove();
            }}
          />
        )}
      </div>
      {items.length > 0 && (
        <div class={`progress${done === items.length ? ' is-done' : ''}`}>
          <span aria-hidden="true">
            {formatNumber(done)}/{formatNumber(items.length)}
          </span>
          <progress max={items.length} value={done} aria-label={say('card.itemsDone', { done, count: items.length })} />
        </div>
      )}
      <ol class="items">
        {items.map((item) => (
          <ItemView
            key={item.id}
            open={open}
            cardId={cardId}
            item={item}
            dragging={dragging}
            isMarked={mark === item.id}
            isLifted={lifted?.id === item.id}
          />
        ))}
        {mark === null && <EndMark isKeptInView={lifted?.by === 'keyboard'} />}
      </ol>
      {mayChange && (
        <NewText
          open={open}
          draftKey={newItemKey(id)}
          card={{ id: cardId, board_id: open.id }}
          invitation={say('checklist.addItem')}
          icon="add"
          label={say('checklist.newItem', { title })}
          placeholder={say('addCard.placeholder')}
          action={say('common.add')}
          maxLength={ITEM_CHARACTERS}
          onAdd={(content) => void open.change('item.create', { checklist_id: id }, { content })}
        />
      )}
      {isAsking && mayChange && (
        <ConfirmDialog
          title={say('checklist.deleteQuestion')}
          text={sayWith('checklist.deleteText', { title: <bdi>{title}</bdi>, count: items.length })}
          action={say('checklist.delete')}
          onClose={() => setAsking(false)}
          onConfirm={remove}
        />
      )}
    </section>
  );
}

function EndMark({ isKeptInView }: { readonly isKeptInView: boolean }) {
  const mark = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isKeptInView) mark.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return <li ref={mark} class="item-end is-marked" aria-hidden="true" />;
}
