/** The files of a card: dropped anywhere on the dialog, pasted or chosen. */
import { useRef } from 'preact/hooks';
import type { Card } from '../../../client/index.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { Button } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { NewText } from '../NewText.js';
import { FileRow } from './FileRow.js';
import { UploadRow } from './UploadRow.js';
import { runningOn, uploadFiles } from './uploads.js';
import { useFileDrop } from './useFileDrop.js';
import { say } from '../../words/catalogue.js';

/** Of the service. */
const MAX_ADDRESS = 2_048;

interface FilesProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function Files({ open, card }: FilesProps) {
  const root = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const mayChange = open.mayChange.value;
  const isOver = useFileDrop(root, (files) => {
    if (mayChange) uploadFiles(card, files);
  });
  // Those of comments are shown with them.
  const attachments = card.attachments.filter(({ comment_id }) => comment_id === null);
  const running = runningOn(card);
  return (
    <section class="card-part" aria-label={say('files.title')} ref={root}>
      <div class="card-part-header">
        <h3>
          <Icon name="clip" /> {say('files.title')}
        </h3>
        {mayChange && (
          <>
            <Button kind="quiet" icon="upload" onClick={() => input.current?.click()}>
              {say('files.attach')}
            </Button>
            <input
              ref={input}
              type="file"
              multiple
              hidden
              aria-label={say('files.toAttach')}
              onChange={({ currentTarget }) => {
                uploadFiles(card, [...(currentTarget.files ?? [])]);
                // The same file can be chosen again.
                currentTarget.value = '';
              }}
            />
          </>
        )}
      </div>
      {attachments.length + running.length === 0 ? (
        <p class={mayChange ? 'hint of-mouse' : 'hint'}>{say(mayChange ? 'files.dropAnywhere' : 'files.none')}</p>
      ) : (
        <ul class="files">
          {attachments.map((attachment) => (
            <FileRow key={attachment.id} open={open} attachment={attachment} mayDelete={mayChange} />
          ))}
          {running.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      {mayChange && (
        <NewText
          open={open}
          draftKey={`${card.id} link`}
          card={card}
          invitation={say('files.addLink')}
          icon="link"
          label={say('files.address')}
          placeholder="https://"
          action={say('common.save')}
          maxLength={MAX_ADDRESS}
          isOnce
          onAdd={(url) => void open.change('attachment.create', { card_id: card.id }, { url })}
        />
      )}
      {isOver && mayChange && (
        <div class="drop-here">
          <p>
            <Icon name="upload" /> {say('files.drop')}
          </p>
        </div>
      )}
    </section>
  );
}
