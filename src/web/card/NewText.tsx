/** A button that becomes a form for one short text after another. What was typed is still there when it is opened again. */
import type { Card } from '../../client/index.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../ui/form/Button.js';
import { Icon, type IconName } from '../ui/Icon.js';
import { draftOf, keepDraft, keepNewText } from '../state/drafts.js';
import type { OpenBoard } from '../state/openBoard.js';
import { say } from '../words/catalogue.js';

interface NewTextProps {
  readonly open: OpenBoard;
  readonly draftKey: string;
  readonly card: Pick<Card, 'id' | 'board_id'>;
  readonly invitation: string;
  readonly icon: IconName;
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly maxLength: number;
  /** It closes after one. */
  readonly isOnce?: boolean;
  readonly onAdd: (text: string) => void;
}

export function NewText({ open, draftKey, card, invitation, icon, label, placeholder, action, maxLength, isOnce = false, onAdd }: NewTextProps) {
  const text = draftOf(draftKey)?.text ?? '';
  const [isOpen, setOpen] = useState(text !== '');
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  const latestAdd = useRef(onAdd);
  latestAdd.current = onAdd;
  // Who loses the right while typing finds the text in the list of what was not saved.
  useEffect(
    () => () => {
      if (!open.isDemoted) return;
      const typed = draftOf(draftKey)?.text.trim() ?? '';
      if (typed === '') return;
      keepDraft(draftKey, null);
      latestAdd.current(typed);
    },
    [],
  );
  // Before the page is drawn: what is typed at once belongs there.
  useLayoutEffect(() => {
    if (isOpen && !wasOpen.current) input.current?.focus();
    if (!isOpen && wasOpen.current && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (!isOpen) {
    return (
      <button ref={button} type="button" class="button is-quiet" data-new-item onClick={() => setOpen(true)}>
        <Icon name={icon} />
        <span>{invitation}</span>
      </button>
    );
  }
  const close = (): void => {
    keepDraft(draftKey, null);
    setOpen(false);
  };
  return (
    <form
      class="new-text"
      onSubmit={(event) => {
        event.preventDefault();
        const clean = text.trim();
        if (clean === '') return;
        keepDraft(draftKey, null);
        if (isOnce) setOpen(false);
        onAdd(clean);
      }}
      onFocusOut={(event) => {
        const isInside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
        if (!isInside && text.trim() === '') close();
      }}
    >
      <input
        ref={input}
        dir="auto"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        value={text}
        onInput={({ currentTarget: { value } }) => keepNewText(draftKey, value, { boardId: card.board_id, cardId: card.id })}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key !== 'Escape' || event.isComposing) return;
          event.preventDefault();
          // A text that is lost by one key would be lost by accident.
          if (text.trim() === '') close();
          else event.currentTarget.blur();
        }}
      />
      <Button kind="primary" type="submit">
        {action}
      </Button>
      <IconButton icon="close" label={say('common.cancel')} onClick={close} />
    </form>
  );
}
