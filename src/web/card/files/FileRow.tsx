import { useState } from 'preact/hooks';
import type { Attachment } from '../../../client/index.js';
import { honestName } from '../../state/fileName.js';
import { attempt } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { IconButton } from '../../ui/form/Button.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { Icon } from '../../ui/Icon.js';
import { downloadFile } from './download.js';
import { formatDay, formatSize } from '../formats.js';
import { isPicture, usePicture } from './picture.js';
import { PictureDialog } from './PictureDialog.js';

interface FileRowProps {
  readonly open: OpenBoard;
  readonly attachment: Attachment;
}

export function FileRow({ open, attachment }: FileRowProps) {
  const { id, size, created_at } = attachment;
  const name = honestName(attachment.name);
  const [isAsking, setAsking] = useState(false);
  const download = (): void => void attempt(`${name} was not downloaded`, () => downloadFile(attachment));
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
      <IconButton icon="download" label={`Download ${name}`} onClick={download} />
      <IconButton icon="trash" label={`Delete ${name}`} onClick={() => setAsking(true)} />
      {isAsking && (
        <ConfirmDialog
          title="Delete the file?"
          text={
            <>
              “<bdi>{name}</bdi>” will be gone for all members.
            </>
          }
          action="Delete the file"
          onClose={() => setAsking(false)}
          onConfirm={() => void open.change('attachment.delete', { attachment_id: id })}
        />
      )}
    </li>
  );
}

/** Opens the picture. Until it is loaded, or if it is broken, there is an icon. */
function Thumbnail({ attachment }: { readonly attachment: Attachment }) {
  const [isShown, setShown] = useState(false);
  const { address, isBroken, place, onBroken } = usePicture(attachment);
  return (
    <>
      <button
        ref={place}
        type="button"
        class="file-picture"
        aria-label={`Show ${attachment.name}`}
        disabled={address === null || isBroken}
        onClick={() => setShown(true)}
      >
        {address === null || isBroken ? <Icon name="clip" /> : <img src={address} alt="" draggable={false} onError={onBroken} />}
      </button>
      {isShown && address !== null && <PictureDialog name={attachment.name} address={address} onClose={() => setShown(false)} />}
    </>
  );
}
