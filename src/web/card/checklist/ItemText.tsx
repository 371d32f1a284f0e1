/** The text of an item, which becomes a field when it is clicked. Nothing is saved over what another user saved meanwhile. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChecklistItem } from '../../../client/index.js';
import { draftOf, keepDraft } from '../../state/drafts.js';
import { notify } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { Conflict, isOvertaken, type Writing } from '../../ui/form/Conflict.js';
import { say } from '../../words/catalogue.js';
import { useWriting, WritersIfAny } from '../Writers.js';

/** Of the service. */
export const ITEM_CHARACTERS = 10_000;

/** The key of the draft of an item's text, and the item of such a key. */
const KEY_END = ' item text';
const itemKey = (itemId: string): string => `${itemId}${KEY_END}`;
export const itemOfKey = (key: string): string | null => (key.endsWith(KEY_END) ? key.slice(0, -KEY_END.length) : null);

/** The key of the draft of a new item, and the checklist of such a key. */
const NEW_KEY_END = ' item';
export const newItemKey = (checklistId: string): string => `${checklistId}${NEW_KEY_END}`;
export const checklistOfKey = (key: string): string | null => (key.endsWith(NEW_KEY_END) ? key.slice(0, -NEW_KEY_END.length) : null);

/** Ends the draft. If the item is gone, or the user may no longer change it, the text stands in the list of what was not saved. */
export function saveItemText(open: OpenBoard, itemId: string, { text }: Pick<Writing, 'text'>, saved: string | null): void {
  keepDraft(itemKey(itemId), null);
  const content = text.trim().replace(/\s*\n\s*/g, ' ');
  if (content !== '' && content !== saved) void open.change('item.update', { item_id: itemId }, { content });
}

interface ItemTextProps {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly item: ChecklistItem;
}

export function ItemText({ open, cardId, item: { id, content: saved } }: ItemTextProps) {
  const key = itemKey(id);
  const draft = draftOf(key);
  const mayChange = open.mayChange.value;
  const [isEditing, setEditing] = useState(false);
  const isField = mayChange && (isEditing || draft !== null);
  const isBehind = draft !== null && isOvertaken(draft, saved);
  useWriting(open, `item ${id}`, isField && isEditing && draft !== null);
  const writers = <WritersIfAny names={open.writersOf(cardId, `item ${id}`)} />;
  const field = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const keepMine = useRef<HTMLButtonElement>(null);
  /** Escape was pressed once, and the user was told what the next one does. */
  const isAsked = useRef(false);
  const wasField = useRef(false);
  const write = ({ text, base }: Writing): void => keepDraft(key, text === base && base === saved ? null : { text, base, boardId: open.id, cardId });
  /** What was typed over another user's text waits for the choice. */
  const finish = useRef((): void => undefined);
  finish.current = () => {
    const written = draftOf(key);
    if (written !== null && !isOvertaken(written, saved)) saveItemText(open, id, written, saved);
  };
  useLayoutEffect(() => {
    if (!isEditing || !mayChange) return;
    isAsked.current = false;
    field.current?.focus();
    field.current?.select();
  }, [isEditing, mayChange]);
  // What was typed is also kept if the field is taken away, because another user moved it or the dialog closes.
  useLayoutEffect(() => () => finish.current(), []);
  useEffect(() => {
    if (mayChange) return;
    setEditing(false);
    // Of a lost board the drafts themselves are shown.
    if (draft !== null && open.isDemoted) saveItemText(open, id, draft, saved);
  }, [mayChange]);
  useEffect(() => {
    if (!isField && wasField.current && document.activeElement === document.body) button.current?.focus();
    wasField.current = isField;
  }, [isField]);
  if (!mayChange)
    return (
      <div class="item-text">
        <span class="inline-text" dir="auto">
          {saved}
        </span>
        {writers}
      </div>
    );
  if (!isField)
    return (
      <div class="item-text">
        <button
          ref={button}
          type="button"
          class="inline-text"
          dir="auto"
          title={say('inline.clickToChange', { label: say('item.text') })}
          onClick={() => setEditing(true)}
        >
          {saved}
        </button>
        {writers}
      </div>
    );
  const choose = (writing: Writing): void => {
    write(writing);
    if (writing.text === saved) return setEditing(false);
    setEditing(true);
    field.current?.focus();
  };
  return (
    <div class="item-text">
      <textarea
        ref={field}
        class="inline-text"
        dir="auto"
        rows={1}
        aria-label={say('item.text')}
        maxLength={ITEM_CHARACTERS}
        value={draft?.text ?? saved}
        onInput={(event) => {
          isAsked.current = false;
          write({ text: event.currentTarget.value, base: draft?.base ?? saved });
        }}
        onFocusOut={() => {
          finish.current();
          setEditing(false);
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && !event.isComposing) {
            event.preventDefault();
            if (isBehind) keepMine.current?.focus();
            else event.currentTarget.blur();
          }
          if (event.key === 'Escape' && !event.isComposing) {
            event.preventDefault();
            if (draft !== null && !isAsked.current) {
              isAsked.current = true;
              return notify('info', say('inline.escapeAgain'));
            }
            keepDraft(key, null);
            event.currentTarget.blur();
          }
        }}
      />
      {writers}
      {isBehind && (
        <Conflict saved={saved} text={draft.text} keepMine={keepMine} onChoose={choose}>
          <p class="long-text" dir="auto">
            {saved}
          </p>
        </Conflict>
      )}
    </div>
  );
}
