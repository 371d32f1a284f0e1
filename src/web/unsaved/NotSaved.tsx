/** The changes that the service refused: each stays here with its text until the user decides. */
import { useEffect } from 'preact/hooks';
import type { KeptChange } from '../../client/index.js';
import { boardPath } from '../state/route.js';
import { client } from '../state/session.js';
import { deedOf, refused, textOf } from '../state/unsaved.js';
import { Dialog } from '../ui/Dialog.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { say } from '../words/catalogue.js';

/** In the header, while there is one. */
export function NotSavedButton({ onOpen }: { readonly onOpen: () => void }) {
  const count = refused.value.length;
  return count === 0 ? null : (
    <Button kind="danger" onClick={onOpen}>
      {say('unsaved.count', { count })}
    </Button>
  );
}

export function NotSavedDialog({ onClose }: { readonly onClose: () => void }) {
  const isEmpty = refused.value.length === 0;
  useEffect(() => {
    if (isEmpty) onClose();
  }, [isEmpty]);
  return (
    <Dialog title={say('unsaved.title')} onClose={onClose}>
      <p>{say('unsaved.lead')}</p>
      <ul class="not-saved">
        {refused.value.map((change) => (
          <Refused key={change.key} change={change} />
        ))}
      </ul>
    </Dialog>
  );
}

function Refused({ change }: { readonly change: KeptChange }) {
  const text = textOf(change);
  return (
    <li class="section">
      <p>
        <strong>{deedOf(change)}</strong> · <a href={boardPath(change.boardId)}>{say('unsaved.toBoard')}</a>
      </p>
      <p class="refusal" dir="auto">
        {change.refusal?.detail}
      </p>
      {text !== '' && <textarea rows={Math.min(6, text.split('\n').length)} readOnly dir="auto" aria-label={say('unsaved.yourText')} value={text} />}
      <div class="row">
        <Button kind="primary" onClick={() => client.unsent.retry(change.key)}>
          {say('common.tryAgain')}
        </Button>
        {text !== '' && <CopyButton text={text}>{say('common.copy')}</CopyButton>}
        <Button kind="quiet" onClick={() => client.unsent.discard(change.key)}>
          {say('common.discard')}
        </Button>
      </div>
    </li>
  );
}
