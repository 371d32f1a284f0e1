/** A text that becomes a field when it is clicked: for renaming in place. What somebody else wrote meanwhile is overwritten only by who was told of it. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { notify } from '../../state/notices.js';
import { say } from '../../words/catalogue.js';

interface InlineTextProps {
  readonly value: string;
  /** What it is, such as "Title of the board". */
  readonly label: string;
  /** `isOvertaken`: somebody else has changed it meanwhile, and the user has left the field without a choice. */
  readonly onChange: (value: string, isOvertaken: boolean) => void;
  readonly class?: string;
  readonly isDisabled?: boolean;
  /** It begins as a field. */
  readonly isOpen?: boolean;
  /** It is a text again. */
  readonly onEnd?: () => void;
  /** The field has as many lines as its text needs. */
  readonly wraps?: boolean;
  readonly maxLength?: number;
}

const MAX_CHARACTERS = 255;

export function InlineText({
  value,
  label,
  onChange,
  class: extra = '',
  isDisabled = false,
  isOpen = false,
  onEnd,
  wraps = false,
  maxLength = MAX_CHARACTERS,
}: InlineTextProps) {
  const [isEditing, setEditing] = useState(isOpen);
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  /** Escape was pressed once, and the user was told what the next one does. */
  const isAsked = useRef(false);
  /** What it was when the user began to type, or what the user was told that it is now. */
  const base = useRef<string | null>(null);
  const told = useRef<string | null>(null);
  const isOvertakenBy = (text: string): boolean => ![value, null].includes(base.current) && ![value, base.current, ''].includes(text);
  const finish = useRef((_text: string): void => undefined);
  finish.current = (text) => {
    const clean = cleaned(text);
    if (base.current !== null && clean !== '' && clean !== value && clean !== base.current) onChange(clean, isOvertakenBy(clean));
  };
  // What was typed is also kept if the field is taken away, because another user moved it, the dialog around it closes or the user may no longer
  // change it: the service refuses it then, and it stands in the list of what was not saved.
  const isField = isEditing && !isDisabled;
  useLayoutEffect(() => {
    const element = field.current;
    if (!isField || element === null) return;
    isAsked.current = false;
    base.current = null;
    told.current = null;
    element.focus();
    element.select();
    return () => finish.current(element.value);
  }, [isField]);
  useEffect(() => {
    if (!isDisabled || !isEditing) return;
    setEditing(false);
    onEnd?.();
  }, [isDisabled]);
  useEffect(() => {
    if (!isEditing && wasEditing.current && document.activeElement === document.body) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (isDisabled)
    return (
      <span class={`inline-text ${extra}`} dir="auto">
        {value}
      </span>
    );
  if (!isEditing) {
    return (
      <button
        ref={button}
        type="button"
        class={`inline-text ${extra}`}
        dir="auto"
        title={say('inline.clickToChange', { label })}
        onClick={() => setEditing(true)}
      >
        {value}
      </button>
    );
  }
  const Field = wraps ? 'textarea' : 'input';
  return (
    <Field
      ref={field}
      class={`inline-text ${extra}`}
      dir="auto"
      aria-label={label}
      maxLength={maxLength}
      defaultValue={value}
      {...(wraps ? { rows: 1 } : {})}
      onFocusOut={() => {
        setEditing(false);
        onEnd?.();
      }}
      onInput={() => {
        isAsked.current = false;
        base.current ??= value;
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && !event.isComposing) {
          event.preventDefault();
          if (isOvertakenBy(cleaned(event.currentTarget.value))) {
            if (told.current !== value) {
              told.current = value;
              return notify('info', say('inline.overtaken', { text: value }));
            }
            base.current = value;
          }
          event.currentTarget.blur();
        }
        if (event.key === 'Escape') {
          event.preventDefault();
          const { currentTarget: typed } = event;
          if (!isAsked.current && typed.value !== typed.defaultValue) {
            isAsked.current = true;
            return notify('info', say('inline.escapeAgain'));
          }
          typed.value = value;
          typed.blur();
        }
      }}
    />
  );
}

function cleaned(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
