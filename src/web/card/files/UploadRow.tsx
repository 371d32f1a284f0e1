import { IconButton } from '../../ui/form/Button.js';
import { Icon } from '../../ui/Icon.js';
import { formatSize } from '../formats.js';
import { dismissUpload, type RunningUpload } from './uploads.js';
import { say } from '../../words/catalogue.js';

/** A file on its way, or refused. */
export function UploadRow({ upload }: { readonly upload: RunningUpload }) {
  const { id, name, size, state, cancel } = upload;
  const percent = state.kind === 'sending' ? Math.floor(state.sent * 100) : 0;
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
            <span aria-hidden="true">{percent} %</span>
          </span>
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
