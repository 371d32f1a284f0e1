/** The field for a description. What others save meanwhile is offered, and changes nothing that is being typed. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/form/Button.js';
import { Segments } from '../../ui/form/Segments.js';
import type { Attachment } from '../../../client/index.js';
import { Conflict, isOvertaken, type Writing } from '../../ui/form/Conflict.js';
import { Markdown } from './Markdown.js';
import { say } from '../../words/catalogue.js';

/** Of the service, in code points. */
const MAX_CHARACTERS = 65_536;
/** So many before the limit, the count is shown. */
const NEAR_LIMIT = 500;

interface DescriptionEditorProps {
  readonly saved: string;
  readonly draft: Writing;
  readonly attachments: readonly Attachment[];
  /** Attaches pictures to the card; returns their ids. */
  readonly onPictures: (pictures: readonly File[]) => readonly string[];
  readonly onDraft: (draft: Writing) => void;
  readonly onSave: (text: string) => void;
  /** Keeps the draft. */
  readonly onLeave: () => void;
  readonly onDiscard: () => void;
  readonly onMerge: (() => void) | undefined;
  readonly isMerging: boolean;
}

export function DescriptionEditor({
  saved,
  draft,
  attachments,
  onPictures,
  onDraft,
  onSave,
  onLeave,
  onDiscard,
  onMerge,
  isMerging,
}: DescriptionEditorProps) {
  const [isPreview, setPreview] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const keepMine = useRef<HTMLButtonElement>(null);
  const hintId = useId();
  const { text, base } = draft;
  const count = text.length > MAX_CHARACTERS - NEAR_LIMIT ? [...text].length : text.length;
  const isTooLong = count > MAX_CHARACTERS;
  const isBehind = isOvertaken(draft, saved);
  // Before the page is drawn: what is typed at once belongs here.
  useLayoutEffect(() => {
    if (!isPreview) field.current?.focus();
  }, [isPreview]);
  const save = (): void => {
    if (isBehind) return keepMine.current?.focus();
    if (!isTooLong) onSave(text.trim() === '' ? '' : text);
  };
  return (
    <div class="description-editor">
      <Segments
        label={say('editor.view')}
        chosen={isPreview ? 'preview' : 'write'}
        options={[
          ['write', say('editor.write')],
          ['preview', say('editor.preview')],
        ]}
        onChoose={(view) => setPreview(view === 'preview')}
      />
      {isPreview ? (
        <div class="description-preview" tabIndex={0} role="region" aria-label={say('editor.preview')}>
          {text.trim() === '' ? <p class="hint">{say('editor.nothing')}</p> : <Markdown text={text} attachments={attachments} />}
        </div>
      ) : (
        <textarea
          ref={field}
          rows={8}
          dir="auto"
          aria-label={say('description.title')}
          aria-describedby={hintId}
          aria-invalid={isTooLong}
          aria-busy={isMerging}
          readOnly={isMerging}
          value={text}
          onInput={(event) => onDraft({ text: event.currentTarget.value, base })}
          onPaste={(event) => {
            const pictures = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
            if (pictures.length === 0 || isMerging) return;
            event.preventDefault();
            // The dialog would attach them again.
            event.stopPropagation();
            const { currentTarget: area } = event;
            const marks = onPictures(pictures).map((id, index) => `![${pictureName(pictures[index])}](attachment:${id})`);
            area.setRangeText(marks.join('\n'), area.selectionStart, area.selectionEnd, 'end');
            onDraft({ text: area.value, base });
          }}
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
      {isBehind && (
        <Conflict saved={saved} text={text} keepMine={keepMine} onChoose={onDraft} onMerge={onMerge} isMerging={isMerging}>
          <Markdown text={saved} attachments={attachments} />
        </Conflict>
      )}
      <div class="row description-actions">
        <Button kind="primary" disabled={isTooLong || isBehind} onClick={save}>
          {say('common.save')}
        </Button>
        <Button onClick={onDiscard}>{say('common.cancel')}</Button>
        <p class={`hint${isTooLong ? ' is-wrong' : ''}`} id={hintId}>
          {count > MAX_CHARACTERS - NEAR_LIMIT ? (
            say('editor.count', { written: count, total: MAX_CHARACTERS })
          ) : (
            <>
              {say('editor.hint')} <span class="of-keyboard">{say('editor.keys')}</span>
            </>
          )}
        </p>
      </div>
    </div>
  );
}

/** Without what would end the mark. */
function pictureName(picture: File | undefined): string {
  return (picture?.name ?? '').replace(/[[\]\\]/g, '');
}
