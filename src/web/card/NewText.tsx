/** A button that becomes a form for one short text after another. What was typed is still there when it is opened again. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../ui/form/Button.js';
import { Icon, type IconName } from '../ui/Icon.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import { say } from '../words/catalogue.js';

interface NewTextProps {
  readonly draftKey: string;
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

export function NewText({ draftKey, invitation, icon, label, placeholder, action, maxLength, isOnce = false, onAdd }: NewTextProps) {
  const text = draftOf(draftKey)?.text ?? '';
  const [isOpen, setOpen] = useState(text !== '');
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
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
        onInput={({ currentTarget: { value } }) => keepDraft(draftKey, value === '' ? null : { text: value, base: '' })}
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
