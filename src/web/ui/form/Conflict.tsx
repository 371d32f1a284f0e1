import type { ComponentChildren, Ref } from 'preact';
import { say } from '../../words/catalogue.js';
import { Button } from './Button.js';

/** What is being written, and the saved text when that was begun. */
export interface Writing {
  readonly text: string;
  readonly base: string;
}

/** Another user has saved another text meanwhile. It is no conflict if both wrote the same. */
export function isOvertaken({ text, base }: Writing, saved: string): boolean {
  return saved !== base && saved !== text;
}

interface ConflictProps {
  readonly saved: string;
  readonly text: string;
  /** The saved text as it is shown, if there is one. */
  readonly children: ComponentChildren;
  /** Has the focus if the user tries to save before the choice. */
  readonly keepMine: Ref<HTMLButtonElement>;
  readonly onChoose: (writing: Writing) => void;
  /** Has the service merge the two texts. */
  readonly onMerge?: (() => void) | undefined;
  readonly isMerging?: boolean;
}

/** Nothing is saved over another user's text before the user has chosen. */
export function Conflict({ saved, text, children, keepMine, onChoose, onMerge, isMerging = false }: ConflictProps) {
  const choose = (chosen: string): void => onChoose({ text: chosen, base: saved });
  return (
    <div class="conflict">
      <p role="status">{isMerging ? say('editor.merging') : say('editor.overtaken')}</p>
      <div class="description-preview" tabIndex={0} role="region" aria-label={say('editor.theirs')}>
        {saved === '' ? <p class="hint">{say('editor.theyDeleted')}</p> : children}
      </div>
      <div class="row">
        <button ref={keepMine} type="button" class="button is-plain" onClick={() => choose(text)}>
          {say('editor.keepMine')}
        </button>
        {onMerge !== undefined && <Button onClick={onMerge}>{say('editor.merge')}</Button>}
        <Button onClick={() => choose(saved)}>{say('editor.useTheirs')}</Button>
        <Button onClick={() => choose(`${saved}\n\n${text}`)}>{say('editor.both')}</Button>
      </div>
    </div>
  );
}
