import { announcement, dismiss, notices } from '../state/notices.js';
import { IconButton } from './Button.js';

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice is-${kind}`}>
          <span dir="auto">{text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

/** What screen readers are to say. A repeated text is a new element, or it would not be spoken again. */
export function Announcer() {
  const { id, text } = announcement.value;
  return (
    <div class="only-spoken" aria-live="assertive" aria-atomic="true">
      <span key={id}>{text}</span>
    </div>
  );
}
