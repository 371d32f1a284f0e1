/** The form for new cards. It stays open, because one card is rarely the last. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Column } from '../../client/index.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { useBoard } from './boardContext.js';

const MAX_CHARACTERS = 255;

export function AddCard({ column }: { readonly column: Column }) {
  const { open } = useBoard();
  const isOpen = open.addingTo.value === column.id;
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
  const add = (): void => {
    const field = input.current;
    const title = field?.value.trim() ?? '';
    if (field === null || title === '') return;
    field.value = '';
    const id = open.addCard(column.id, title);
    requestAnimationFrame(() => document.querySelector(`[data-card-id="${id}"]`)?.scrollIntoView({ block: 'nearest' }));
  };
  if (!isOpen) {
    return (
      <button ref={button} type="button" class="add-card" onClick={() => (open.addingTo.value = column.id)}>
        + Add a card
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
        if (!isInside && input.current?.value.trim() === '') open.addingTo.value = null;
      }}
    >
      <textarea
        ref={input}
        rows={2}
        dir="auto"
        maxLength={MAX_CHARACTERS}
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
        <Button kind="primary" type="submit">Add</Button>
        <IconButton icon="close" label="Close" onClick={close} />
      </div>
    </form>
  );
}
