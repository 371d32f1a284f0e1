import { useState } from 'preact/hooks';
import type { Attachment } from '../../../client/index.js';
import { deleteAttachment } from '../../activity/loadUndoing.js';
import { honestName } from '../../state/fileName.js';
import { attempt } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { IconButton } from '../../ui/form/Button.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { Icon } from '../../ui/Icon.js';
import { downloadFile } from './download.js';
import { formatDay } from '../../state/relativeTime.js';
import { formatSize } from '../formats.js';
import { isPicture, usePicture } from './picture.js';
import { PictureDialog } from './PictureDialog.js';
import { say, sayWith } from '../../words/catalogue.js';

interface FileRowProps {
  readonly open: OpenBoard;
  readonly attachment: Attachment;
  readonly mayDelete: boolean;
}

export function FileRow(props: FileRowProps) {
  const { url } = props.attachment;
  return url ? <LinkRow {...props} url={url} /> : <StoredFileRow {...props} />;
}

/** The address says where it leads, whatever its title. */
function LinkRow({ open, attachment, mayDelete, url }: FileRowProps & { readonly url: string }) {
  const name = honestName(attachment.name);
  const address = URL.canParse(url) ? new URL(url) : null;
  const isWeb = address !== null && /^https?:$/.test(address.protocol);
  return (
    <li class="file">
      <span class="file-picture">
        <Icon name="link" />
      </span>
      <div class="file-text">
        {isWeb ? (
          <a class="file-name" dir="auto" href={address.href} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        ) : (
          <span class="file-name" dir="auto">
            {name}
          </span>
        )}
        <span class="hint">{address?.host}</span>
      </div>
      {mayDelete && <IconButton icon="trash" label={say('file.deleteIt', { name })} onClick={() => deleteAttachment(open, attachment)} />}
    </li>
  );
}

function StoredFileRow({ open, attachment, mayDelete }: FileRowProps) {
  const { id, card_id, size, created_at } = attachment;
  const cover = open.card(card_id)?.cover ?? null;
  const isCover = cover !== null && 'attachment_id' in cover && cover.attachment_id === id;
  const name = honestName(attachment.name);
  const [isAsking, setAsking] = useState(false);
  const download = (): void => void attempt(say('file.notDownloaded', { name }), () => downloadFile(attachment));
  return (
    <li class="file">
      {isPicture(attachment) ? (
        <Thumbnail attachment={attachment} />
      ) : (
        <span class="file-picture">
          <Icon name="clip" />
        </span>
      )}
      <div class="file-text">
        <span class="file-name" dir="auto">
          {name}
        </span>
        <span class="hint">
          {formatSize(size)} · <time dateTime={created_at}>{formatDay(created_at)}</time>
        </span>
      </div>
      {open.mayChange.value && isPicture(attachment) && !isCover && (
        <IconButton
          icon="picture"
          label={say('file.asCover', { name })}
          onClick={() => void open.change('card.update', { card_id }, { cover: { attachment_id: id } })}
        />
      )}
      <IconButton icon="download" label={say('file.download', { name })} onClick={download} />
      {mayDelete && <IconButton icon="trash" label={say('file.deleteIt', { name })} onClick={() => setAsking(true)} />}
      {isAsking && mayDelete && (
        <ConfirmDialog
          title={say('file.deleteQuestion')}
          text={sayWith('file.deleteText', { name: <bdi>{name}</bdi> })}
          action={say('file.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => deleteAttachment(open, attachment)}
        />
      )}
    </li>
  );
}

/** Opens the picture. Until it is loaded, or if it is broken, there is an icon. */
function Thumbnail({ attachment }: { readonly attachment: Attachment }) {
  const [isShown, setShown] = useState(false);
  const { address, isBroken, place, onBroken } = usePicture<HTMLButtonElement>(attachment);
  return (
    <>
      <button
        ref={place}
        type="button"
        class="file-picture"
        aria-label={say('file.show', { name: attachment.name })}
        disabled={address === null || isBroken}
        onClick={() => setShown(true)}
      >
        {address === null || isBroken ? <Icon name="clip" /> : <img src={address} alt="" draggable={false} onError={onBroken} />}
      </button>
      {isShown && address !== null && <PictureDialog name={attachment.name} address={address} onClose={() => setShown(false)} />}
    </>
  );
}
