/** The field for a comment: what is typed stays until it is sent or discarded. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useWriting } from '../card/Writers.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Button } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';
import { FilePicker } from './CommentFiles.js';

/** Of the service, in code points. */
const MAX_CHARACTERS = 65_536;
/** So many before the limit, the count is shown. */
const NEAR_LIMIT = 1_000;

interface CommentFieldProps {
  readonly open: OpenBoard;
  readonly text: string;
  readonly label: string;
  readonly action: string;
  /** It was opened to be typed in. */
  readonly takesFocus: boolean;
  readonly onText: (text: string) => void;
  readonly onSend: (text: string) => void;
  /** Throws the text away. */
  readonly onDiscard: () => void;
  /** Leaves it, with its text. */
  readonly onLeave: () => void;
  /** A choice that must be made first. */
  readonly children?: ComponentChildren;
  readonly isHeld?: boolean;
  /** Its text is on its way. */
  readonly isBusy?: boolean;
  /** Files that are pasted into it or chosen. Absent: they are those of the card. */
  readonly onFiles?: (files: readonly File[]) => void;
}

export function CommentField({
  open,
  text,
  label,
  action,
  takesFocus,
  onText,
  onSend,
  onDiscard,
  onLeave,
  children,
  isHeld = false,
  isBusy = false,
  onFiles,
}: CommentFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isFocused, setFocused] = useState(false);
  useWriting(open, 'comments', isFocused && text !== '');
  const hintId = useId();
  const count = text.length > MAX_CHARACTERS - NEAR_LIMIT ? [...text].length : text.length;
  const isTooLong = count > MAX_CHARACTERS;
  const isBlank = text.trim() === '';
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);
  const send = (): void => {
    if (!isTooLong && !isBlank) onSend(text);
  };
  return (
    <div class="comment-field">
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        aria-label={label}
        placeholder={label}
        aria-describedby={hintId}
        aria-invalid={isTooLong}
        aria-busy={isBusy}
        readOnly={isBusy}
        value={text}
        onInput={({ currentTarget: { value } }) => onText(value)}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0 || onFiles === undefined) return;
          event.preventDefault();
          // The dialog around it attaches them to the card.
          event.stopPropagation();
          onFiles(files);
        }}
        onFocusIn={() => setFocused(true)}
        onFocusOut={() => setFocused(false)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            send();
          }
          if (event.key !== 'Escape' || event.isComposing) return;
          event.preventDefault();
          // A text that is lost by one key would be lost by accident.
          event.currentTarget.blur();
          onLeave();
        }}
      />
      {children}
      {(text !== '' || takesFocus) && (
        <div class="row comment-actions">
          <Button kind="primary" disabled={isTooLong || isBlank || isHeld} onClick={send}>
            {action}
          </Button>
          <Button onClick={onDiscard}>{say('common.cancel')}</Button>
          {onFiles !== undefined && <FilePicker label={say('comments.attach')} onFiles={onFiles} />}
        </div>
      )}
      <p class={`hint${isTooLong ? ' is-wrong' : ''}`} id={hintId}>
        {count > MAX_CHARACTERS - NEAR_LIMIT ? (
          say('editor.count', { written: count, total: MAX_CHARACTERS })
        ) : (
          <>
            {say('comments.hint')} <span class="of-keyboard">{say('comments.keys')}</span>
          </>
        )}
      </p>
    </div>
  );
}
