/** The description of a card: shown as rendered Markdown, changed in a field. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Card } from '../../../client/index.js';
import { notify } from '../../state/notices.js';
import { client } from '../../state/session.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { Button } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { say } from '../../words/catalogue.js';
import { uploadFiles } from '../files/uploads.js';
import { saveDescription, versionOf } from './descriptionBase.js';
import { DescriptionEditor } from './DescriptionEditor.js';
import { descriptionKey } from './descriptionKey.js';
import { draftOf, keepDraft } from '../../state/drafts.js';
import { Markdown } from './Markdown.js';
import { useMerging } from './merging.js';
import { Versions } from './Versions.js';
import { useWriting, Writers } from '../Writers.js';
import { toggleBox } from './taskBoxes.js';
import { focusInstead } from '../../ui/keepFocus.js';

interface DescriptionProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function Description({ open, card }: DescriptionProps) {
  const key = descriptionKey(card.id);
  const draft = draftOf(key);
  const saved = card.description ?? '';
  const mayChange = open.mayChange.value;
  const [wantsEditing, setEditing] = useState(false);
  const isEditing = wantsEditing && mayChange;
  const [showsVersions, setShowsVersions] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  useWriting(open, 'description', isEditing && draft !== null);
  const leave = (): void => {
    setEditing(false);
    focusInstead(() => editButton.current);
  };
  const save = (text: string): void => {
    keepDraft(key, null);
    leave();
    if (text === saved) return;
    // Begun while an earlier change waited, it has no version; what it was written on is what is shown.
    saveDescription(open, card, text === '' ? null : text, draft?.version);
  };
  /** What is merged is shown by the event of the card. */
  const { isMerging, merge } = useMerging(key, leave);
  const mergeDraft = (text: string, base: number): void =>
    void merge(text, () => client.card.update({ card_id: card.id }, { description: text.trim() === '' ? null : text, base }));
  const toggle = (box: number): void => {
    const description = toggleBox(saved, box);
    if (description === null) notify('info', say('description.boxNotFound'));
    else saveDescription(open, card, description);
  };
  const discard = (): void => {
    keepDraft(key, null);
    leave();
  };
  // Who loses the right while writing finds the text in the list of what was not saved.
  useEffect(() => {
    if (mayChange) return;
    setEditing(false);
    // Of a lost board the drafts themselves are shown.
    if (draft === null || !open.isDemoted) return;
    keepDraft(key, null);
    void open.change('card.update', { card_id: card.id }, { description: draft.text === '' ? null : draft.text });
  }, [mayChange]);
  return (
    <section class="card-part" aria-label={say('description.title')}>
      <div class="card-part-header">
        <h3>
          <Icon name="text" /> {say('description.title')}
        </h3>
        {mayChange && !isEditing && saved !== '' && (
          <button ref={editButton} type="button" class="button is-quiet" onClick={() => setEditing(true)}>
            {say('description.edit')}
          </button>
        )}
        {mayChange && !isEditing && card.text_version > 1 && (
          <Button kind="quiet" onClick={() => setShowsVersions(true)}>
            {say('versions.show')}
          </Button>
        )}
      </div>
      {showsVersions && mayChange && (
        <Versions
          key={card.id}
          title={say('versions.title')}
          current={card.text_version}
          attachments={card.attachments}
          mayRestore
          readPage={(query) => client.version.ofCard({ card_id: card.id }, query)}
          onRestore={(number) => client.version.restoreDescription({ card_id: card.id, number })}
          onClose={() => setShowsVersions(false)}
        />
      )}
      <Writers names={open.writersOf(card.id, 'description')} />
      {isEditing ? (
        <DescriptionEditor
          saved={saved}
          draft={draft ?? { text: saved, base: saved }}
          attachments={card.attachments}
          onPictures={(pictures) => uploadFiles(card, pictures)}
          onDraft={({ text, base }) => {
            const version = base === saved ? versionOf(open, card) : draft?.version;
            keepDraft(key, text === base && base === saved ? null : { text, base, version, boardId: open.id, cardId: card.id });
          }}
          onSave={save}
          onLeave={leave}
          onDiscard={discard}
          onMerge={draft?.version === undefined ? undefined : () => mergeDraft(draft.text, draft.version ?? 0)}
          isMerging={isMerging}
        />
      ) : (
        <>
          {mayChange && draft !== null && (
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
          {saved === '' && mayChange && (
            <button ref={editButton} type="button" class="card-empty" onClick={() => setEditing(true)}>
              {say('description.add')}
            </button>
          )}
          {saved === '' && !mayChange && <p class="hint">{say('description.none')}</p>}
          {saved !== '' && <Markdown text={saved} onToggle={mayChange && draft === null ? toggle : undefined} attachments={card.attachments} />}
        </>
      )}
    </section>
  );
}
