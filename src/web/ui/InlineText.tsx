/** A text that becomes a field when it is clicked: for renaming in place. */
import { useEffect, useRef, useState } from 'preact/hooks';

interface InlineTextProps {
  readonly value: string;
  /** What it is, such as "Title of the board". */
  readonly label: string;
  readonly onChange: (value: string) => void;
  readonly class?: string;
  readonly isDisabled?: boolean;
}

const MAX_CHARACTERS = 255;

export function InlineText({ value, label, onChange, class: extra = '', isDisabled = false }: InlineTextProps) {
  const [isEditing, setEditing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (isEditing) input.current?.select();
    else if (wasEditing.current && document.activeElement === document.body) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (isDisabled) return <span class={`inline-text ${extra}`} dir="auto">{value}</span>;
  if (!isEditing) {
    return (
      <button ref={button} type="button" class={`inline-text ${extra}`} dir="auto" title={`${label}: click to change`} onClick={() => setEditing(true)}>
        {value}
      </button>
    );
  }
  const finish = (text: string): void => {
    setEditing(false);
    const clean = text.trim();
    if (clean !== '' && clean !== value) onChange(clean);
  };
  return (
    <input
      ref={input}
      class={`inline-text ${extra}`}
      dir="auto"
      aria-label={label}
      maxLength={MAX_CHARACTERS}
      defaultValue={value}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.preventDefault();
          event.currentTarget.value = value;
          event.currentTarget.blur();
        }
      }}
    />
  );
}
