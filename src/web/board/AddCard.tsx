/** The form for new cards. It stays open, because one card is rarely the last. What was typed is still there when it is opened again. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Column } from '../../client/index.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { useBoard } from './boardContext.js';

const MAX_CHARACTERS = 255;

export function AddCard({ column }: { readonly column: Column }) {
  const { open } = useBoard();
  const isOpen = open.addingTo.value === column.id;
  const draftKey = `${column.id} new card`;
  const text = draftOf(draftKey)?.text ?? '';
  useEffect(() => () => giveBack(open, column.id, draftKey), [column.id]);
  const input = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // At once: what is typed after the shortcut belongs in the field.
  useLayoutEffect(() => {
    if (isOpen) input.current?.focus();
  }, [isOpen]);
  const close = (): void => {
    open.addingTo.value = null;
    requestAnimationFrame(() => button.current?.focus());
  };
  const discard = (): void => {
    keepDraft(draftKey, null);
    close();
  };
  const add = (): void => {
    const title = text.trim();
    if (title === '') return;
    keepDraft(draftKey, null);
    const id = open.addCard(column.id, title);
    requestAnimationFrame(() => document.querySelector(`[data-card-id="${id}"]`)?.scrollIntoView({ block: 'nearest' }));
  };
  if (!isOpen) {
    return (
      <button ref={button} type="button" class="add-card" onClick={() => (open.addingTo.value = column.id)}>
        {text === '' ? '+ Add a card' : '+ Add a card (draft)'}
      </button>
    );
  }
  return (
    <form
      class="add-form"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      onFocusOut={(event) => {
        const isInside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
        if (!isInside && text.trim() === '') open.addingTo.value = null;
      }}
    >
      <textarea
        ref={input}
        rows={2}
        dir="auto"
        maxLength={MAX_CHARACTERS}
        value={text}
        onInput={({ currentTarget: { value } }) => keepDraft(draftKey, value === '' ? null : { text: value, base: '' })}
        placeholder="What is to be done?"
        aria-label={`Title of the new card in ${column.title}`}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            add();
          }
          if (event.key === 'Escape') close();
        }}
      />
      <div class="row">
        <Button kind="primary" type="submit">
          Add
        </Button>
        <IconButton icon="close" label="Close" onClick={discard} />
      </div>
    </form>
  );
}

/** The column was deleted while somebody typed: the service refuses the card, and its text stands in the list of what was not saved. */
function giveBack(open: OpenBoard, columnId: string, draftKey: string): void {
  if (!open.isGone(columnId)) return;
  const title = draftOf(draftKey)?.text.trim() ?? '';
  keepDraft(draftKey, null);
  if (title !== '') open.addCard(columnId, title);
}
