/** The changes that the service refused: each stays here with its text until the user decides. */
import { useEffect } from 'preact/hooks';
import type { KeptChange } from '../../client/index.js';
import { boardPath } from '../state/route.js';
import { client } from '../state/session.js';
import { refusedCount, refusedFiles, type RefusedFile } from './files.js';
import { deedOf, refusalOf, refused, settingsOf, textOf } from '../state/unsaved.js';
import { Dialog } from '../ui/Dialog.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { say, sayWith } from '../words/catalogue.js';

export function NotSavedDialog({ onClose }: { readonly onClose: () => void }) {
  const isEmpty = refusedCount.value === 0;
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
        {refusedFiles.value.map((file) => (
          <NotAttached key={file.key} file={file} />
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
        <strong>{deedOf(change)}</strong>
        {change.about !== undefined && (
          <>
            {' '}
            · <bdi>{change.about.title}</bdi>
          </>
        )}{' '}
        ·{' '}
        <a href={boardPath(change.boardId)} dir="auto">
          {change.about?.boardTitle ?? say('unsaved.toBoard')}
        </a>
      </p>
      {settingsOf(change).map((line) => (
        <p key={line} dir="auto">
          {line}
        </p>
      ))}
      <p class="refusal" dir="auto">
        {refusalOf(change)}
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

function NotAttached({ file: { name, boardId, reason, retry, discard } }: { readonly file: RefusedFile }) {
  return (
    <li class="section">
      <p>
        <strong>{sayWith('unsaved.file', { name: <bdi>{name}</bdi> })}</strong> · <a href={boardPath(boardId)}>{say('unsaved.toBoard')}</a>
      </p>
      <p class="refusal" dir="auto">
        {reason}
      </p>
      <div class="row">
        <Button kind="primary" onClick={retry}>
          {say('common.tryAgain')}
        </Button>
        <Button kind="quiet" onClick={discard}>
          {say('common.discard')}
        </Button>
      </div>
    </li>
  );
}
