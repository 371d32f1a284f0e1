/** The field for a description. What others save meanwhile is offered, and changes nothing that is being typed. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/form/Button.js';
import type { Draft } from '../../state/drafts.js';
import { Markdown } from './Markdown.js';

/** Of the service, in code points. */
const MAX_CHARACTERS = 10_000;
/** So many before the limit, the count is shown. */
const NEAR_LIMIT = 500;

interface DescriptionEditorProps {
  readonly saved: string;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly onSave: (text: string) => void;
  /** Keeps the draft. */
  readonly onLeave: () => void;
  readonly onDiscard: () => void;
}

export function DescriptionEditor({ saved, draft, onDraft, onSave, onLeave, onDiscard }: DescriptionEditorProps) {
  const [isPreview, setPreview] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const keepMine = useRef<HTMLButtonElement>(null);
  const hintId = useId();
  const { text, base } = draft;
  const count = text.length > MAX_CHARACTERS - NEAR_LIMIT ? [...text].length : text.length;
  const isTooLong = count > MAX_CHARACTERS;
  const isOvertaken = saved !== base && saved !== text;
  // Before the page is drawn: what is typed at once belongs here.
  useLayoutEffect(() => {
    if (!isPreview) field.current?.focus();
  }, [isPreview]);
  const save = (): void => {
    if (isOvertaken) return keepMine.current?.focus();
    if (!isTooLong) onSave(text.trim() === '' ? '' : text);
  };
  return (
    <div class="description-editor">
      <div class="segments" role="group" aria-label="View">
        <button type="button" aria-pressed={!isPreview} onClick={() => setPreview(false)}>
          Write
        </button>
        <button type="button" aria-pressed={isPreview} onClick={() => setPreview(true)}>
          Preview
        </button>
      </div>
      {isPreview ? (
        <div class="description-preview" tabIndex={0} role="region" aria-label="Preview">
          {text.trim() === '' ? <p class="hint">Nothing to preview.</p> : <Markdown text={text} />}
        </div>
      ) : (
        <textarea
          ref={field}
          rows={8}
          dir="auto"
          aria-label="Description"
          aria-describedby={hintId}
          aria-invalid={isTooLong}
          value={text}
          onInput={(event) => onDraft({ text: event.currentTarget.value, base })}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              save();
            }
            if (event.key === 'Escape' && !event.isComposing) {
              event.preventDefault();
              onLeave();
            }
          }}
        />
      )}
      {isOvertaken && (
        <div class="conflict">
          <p role="status">Changed by somebody else meanwhile. Choose before you save; your text stands above, theirs here:</p>
          <div class="description-preview" tabIndex={0} role="region" aria-label="Their text">
            {saved === '' ? <p class="hint">They deleted it.</p> : <Markdown text={saved} />}
          </div>
          <div class="row">
            <button ref={keepMine} type="button" class="button is-plain" onClick={() => onDraft({ text, base: saved })}>
              Keep mine
            </button>
            <Button onClick={() => onDraft({ text: saved, base: saved })}>Use theirs</Button>
            <Button onClick={() => onDraft({ text: `${saved}\n\n${text}`, base: saved })}>Both, one after the other</Button>
          </div>
        </div>
      )}
      <div class="row description-actions">
        <Button kind="primary" disabled={isTooLong || isOvertaken} onClick={save}>
          Save
        </Button>
        <Button onClick={onDiscard}>Cancel</Button>
        <p class={`hint${isTooLong ? ' is-wrong' : ''}`} id={hintId}>
          {count > MAX_CHARACTERS - NEAR_LIMIT ? `${count} of ${MAX_CHARACTERS} characters` : 'Markdown works here. Ctrl+Enter saves.'}
        </p>
      </div>
    </div>
  );
}
