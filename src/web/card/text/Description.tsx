/** The description of a card: shown as rendered Markdown, changed in a field. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Card } from '../../../client/index.js';
import { notify } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { nameOf } from '../../state/people.js';
import { Button } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { say } from '../../words/catalogue.js';
import { uploadFiles } from '../files/uploads.js';
import { DescriptionEditor } from './DescriptionEditor.js';
import { descriptionKey } from './descriptionKey.js';
import { draftOf, keepDraft } from '../../state/drafts.js';
import { Markdown } from './Markdown.js';
import { toggleBox } from './taskBoxes.js';

interface DescriptionProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function Description({ open, card }: DescriptionProps) {
  const key = descriptionKey(card.id);
  const draft = draftOf(key);
  const saved = card.description ?? '';
  const [isEditing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const isWriting = isEditing && draft !== null;
  useEffect(() => open.showWriting(isWriting), [isWriting]);
  useEffect(() => () => open.showWriting(false), []);
  const leave = (): void => {
    setEditing(false);
    requestAnimationFrame(() => editButton.current?.focus());
  };
  const save = (text: string): void => {
    keepDraft(key, null);
    leave();
    if (text !== saved) void open.change('card.update', { card_id: card.id }, { description: text === '' ? null : text }).catch(() => undefined);
  };
  const toggle = (box: number): void => {
    const description = toggleBox(saved, box);
    if (description === null) notify('info', say('description.boxNotFound'));
    else void open.change('card.update', { card_id: card.id }, { description });
  };
  const discard = (): void => {
    keepDraft(key, null);
    leave();
  };
  return (
    <section class="card-part" aria-label={say('description.title')}>
      <div class="card-part-header">
        <h3>
          <Icon name="text" /> {say('description.title')}
        </h3>
        {!isEditing && saved !== '' && (
          <button ref={editButton} type="button" class="button is-quiet" onClick={() => setEditing(true)}>
            {say('description.edit')}
          </button>
        )}
      </div>
      <Writers open={open} cardId={card.id} />
      {isEditing ? (
        <DescriptionEditor
          saved={saved}
          draft={draft ?? { text: saved, base: saved }}
          attachments={card.attachments}
          onPictures={(pictures) => uploadFiles(card, pictures)}
          onDraft={(next) => keepDraft(key, next.text === next.base && next.base === saved ? null : next)}
          onSave={save}
          onLeave={leave}
          onDiscard={discard}
        />
      ) : (
        <>
          {draft !== null && (
            <p class="card-hint">
              <span>{say('description.hasDraft')}</span>
              <Button kind="quiet" onClick={() => setEditing(true)}>
                {say('description.continue')}
              </Button>
              <Button kind="quiet" onClick={discard}>
                {say('common.discard')}
              </Button>
            </p>
          )}
          {saved === '' ? (
            <button ref={editButton} type="button" class="card-empty" onClick={() => setEditing(true)}>
              {say('description.add')}
            </button>
          ) : (
            <Markdown text={saved} onToggle={draft === null ? toggle : undefined} attachments={card.attachments} />
          )}
        </>
      )}
    </section>
  );
}

/** Before two people write the same. */
function Writers({ open, cardId }: { readonly open: OpenBoard; readonly cardId: string }) {
  const names = (open.writers.value.get(cardId) ?? []).flatMap((id) => open.memberOf(id) ?? []).map(({ user }) => nameOf(user));
  const text =
    names.length === 0
      ? ''
      : names.length === 1
        ? say('description.writes', { name: names[0] ?? '' })
        : say('description.write', { names: names.join(', ') });
  return (
    <p class="hint" role="status" dir="auto">
      {text}
    </p>
  );
}
