/** What the page says: notices that are seen, and announcements for screen readers. */
import { useEffect, useState } from 'preact/hooks';
import { announcement, dismiss, notices } from '../state/notices.js';
import { IconButton } from './form/Button.js';

/** In one place at a time: the topmost dialog, or the page if none is open. */
export function Messages() {
  return (
    <>
      <Notices />
      <Announcer />
    </>
  );
}

function Notices() {
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

/** An older announcement was read out where the messages were before. */
const FRESH_MS = 1_000;

/**
 * A repeated text is a new element, or it would not be spoken again. Only what is put into an element that is already
 * there is spoken, so the text follows after the first rendering.
 */
function Announcer() {
  const latest = announcement.value;
  const [shown, setShown] = useState<typeof latest | null>(null);
  useEffect(() => {
    if (performance.now() - latest.at < FRESH_MS) setShown(latest);
  }, [latest]);
  return (
    <div class="only-spoken" aria-live="assertive" aria-atomic="true">
      <span key={shown?.id}>{shown?.text}</span>
    </div>
  );
}
