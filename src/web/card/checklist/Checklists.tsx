/** All checklists of a card, and the form for a new one. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { createdId, newKey, type Card } from '../../../client/index.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { ChecklistView } from './ChecklistView.js';
import { draftsFor, type NamedDraft } from '../../state/drafts.js';
import { ItemDragging } from './itemDragging.js';
import { checklistOfKey, itemOfKey, saveItemText } from './ItemText.js';
import { followItemPointer } from './itemPointer.js';
import { NewText } from '../NewText.js';
import { LostDrafts } from '../../ui/LostDrafts.js';
import { say } from '../../words/catalogue.js';

interface ChecklistsProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

const MAX_CHARACTERS = 255;

export function Checklists({ open, card }: ChecklistsProps) {
  const root = useRef<HTMLDivElement>(null);
  const dragging = useMemo(() => new ItemDragging(), []);
  useEffect(() => {
    if (root.current !== null) return followItemPointer(root.current, { open, cardId: card.id, dragging });
    return undefined;
  }, [open, card.id]);
  const lost = lostTexts(card);
  // An item that another user deletes takes the text with it that was being typed. Before the dialog can close: it would stay a draft.
  useLayoutEffect(() => {
    for (const { itemId, draft } of lost) saveItemText(open, itemId, draft, null);
  }, [lost.length]);
  const lostItems = newItemsOfLost(card);
  const create = (title: string): void => {
    const idempotencyKey = newKey();
    void open.change('checklist.create', { card_id: card.id }, { title }, { idempotencyKey });
    const id = createdId(open.id, idempotencyKey);
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(`[data-checklist-id="${id}"] [data-new-item]`)?.click());
  };
  return (
    <div class="card-checklists" ref={root}>
      {card.checklists.map((checklist) => (
        <ChecklistView key={checklist.id} open={open} checklist={checklist} cardId={card.id} dragging={dragging} />
      ))}
      {lostItems.length > 0 && (
        <div class="card-part">
          <p role="status">{say('checklist.lost')}</p>
          <LostDrafts drafts={lostItems} />
        </div>
      )}
      <p id="item-help" hidden>
        {say('checklist.itemHelp')}
      </p>
      {open.mayChange.value && (
        <div>
          <NewText
            open={open}
            draftKey={`${card.id} checklist`}
            card={card}
            invitation={say('checklist.add')}
            icon="checklist"
            label={say('checklist.newTitle')}
            placeholder={say('checklist.placeholder')}
            action={say('common.add')}
            maxLength={MAX_CHARACTERS}
            isOnce
            onAdd={create}
          />
        </div>
      )}
    </div>
  );
}

/** Texts of items that are no longer on the card. */
function lostTexts({ id, checklists }: Card) {
  const items = new Set(checklists.flatMap(({ items }) => items.map((item) => item.id)));
  return draftsFor({ cardId: id }).flatMap(({ key, draft }) => {
    const itemId = itemOfKey(key);
    return itemId === null || items.has(itemId) ? [] : [{ itemId, draft }];
  });
}

/** Texts of new items for checklists that are no longer on the card. */
function newItemsOfLost({ id, checklists }: Card): readonly NamedDraft[] {
  return draftsFor({ cardId: id }).filter(({ key }) => {
    const checklistId = checklistOfKey(key);
    return checklistId !== null && checklists.every((checklist) => checklist.id !== checklistId);
  });
}
