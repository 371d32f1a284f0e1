import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { draftOf, keepDraft, keepNewText } from '../state/drafts.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { useBoard } from './boardContext.js';
import { say } from '../words/catalogue.js';

const MAX_CHARACTERS = 255;

export function AddColumn({ isFirst }: { readonly isFirst: boolean }) {
  const { open } = useBoard();
  const [isOpen, setOpen] = useState(isFirst);
  const input = useRef<HTMLInputElement>(null);
  // At once: on a new board, what is typed next is a column.
  useLayoutEffect(() => {
    if (isOpen) input.current?.focus();
  }, [isOpen]);
  const draftKey = `${open.id} new column`;
  const text = draftOf(draftKey)?.text ?? '';
  // Who loses the right while typing finds the title in the list of what was not saved.
  useEffect(
    () => () => {
      if (!open.isDemoted) return;
      const title = draftOf(draftKey)?.text.trim() ?? '';
      if (title === '') return;
      keepDraft(draftKey, null);
      open.addColumn(title);
    },
    [],
  );
  if (!isOpen) {
    return (
      <div class="column is-new">
        <button type="button" class="add-card" data-add-column onClick={() => setOpen(true)}>
          {text === '' ? say('addColumn.invitation') : say('addColumn.invitationDraft')}
        </button>
      </div>
    );
  }
  return (
    <form
      class="column is-new add-form"
      onSubmit={(event) => {
        event.preventDefault();
        const title = text.trim();
        if (title === '') return;
        keepDraft(draftKey, null);
        open.addColumn(title);
        event.currentTarget.scrollIntoView({ inline: 'end', block: 'nearest' });
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') setOpen(false);
      }}
    >
      <input
        ref={input}
        dir="auto"
        maxLength={MAX_CHARACTERS}
        value={text}
        onInput={({ currentTarget: { value } }) => keepNewText(draftKey, value, { boardId: open.id, cardId: null })}
        placeholder={isFirst ? say('addColumn.first') : say('addColumn.placeholder')}
        aria-label={say('addColumn.label')}
      />
      <div class="row">
        <Button kind="primary" type="submit">
          {say('addColumn.add')}
        </Button>
        {!isFirst && (
          <IconButton
            icon="close"
            label={say('common.close')}
            onClick={() => {
              keepDraft(draftKey, null);
              setOpen(false);
            }}
          />
        )}
      </div>
    </form>
  );
}
