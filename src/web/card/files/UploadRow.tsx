import { IconButton } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { MAX_KEPT_BYTES, MAX_KEPT_FILE_BYTES } from '../../kept/fileStore.js';
import { formatPart, formatSize } from '../formats.js';
import { dismissUpload, type RunningUpload } from './uploads.js';
import { say } from '../../words/catalogue.js';

/** A file on its way, or refused. */
export function UploadRow({ upload }: { readonly upload: RunningUpload }) {
  const { id, name, size, isKept, state, cancel } = upload;
  const isUnderWay = state.kind !== 'refused';
  return (
    <li class={`file is-${state.kind}`}>
      <span class="file-picture">
        <Icon name={state.kind === 'refused' ? 'close' : 'upload'} />
      </span>
      <div class="file-text">
        <span class="file-name" dir="auto">
          {name}
        </span>
        {state.kind === 'refused' && (
          <span class="file-refusal" dir="auto" role="alert">
            {state.reason}
          </span>
        )}
        {state.kind === 'waiting' && <span class="hint">{say('upload.waiting', { size: formatSize(size) })}</span>}
        {state.kind === 'sending' && (
          <span class="progress">
            <progress max={1} value={state.sent} aria-label={say('upload.sending', { name })} />
            <span aria-hidden="true">{formatPart(state.sent)}</span>
          </span>
        )}
        {isUnderWay && !isKept && (
          <span class="hint">{say('upload.notKept', { file: formatSize(MAX_KEPT_FILE_BYTES), all: formatSize(MAX_KEPT_BYTES) })}</span>
        )}
      </div>
      {state.kind === 'refused' ? (
        <IconButton icon="close" label={say('upload.dismiss', { name })} onClick={() => dismissUpload(id)} />
      ) : (
        <IconButton icon="close" label={say('upload.cancel', { name })} onClick={cancel} />
      )}
    </li>
  );
}
