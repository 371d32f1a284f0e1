/** What the page says: notices that are seen, and announcements for screen readers. */
import { useEffect, useState } from 'preact/hooks';
import { announcement, dismiss, notices, politeAnnouncement } from '../state/notices.js';
import { say } from '../words/catalogue.js';
import { IconButton } from './form/Button.js';

/** In one place at a time: the topmost dialog, or the page if none is open. */
export function Messages() {
  return (
    <>
      <Notices />
      <Announcer of={announcement} politeness="assertive" />
      <Announcer of={politeAnnouncement} politeness="polite" />
    </>
  );
}

function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, kind, text, action }) => (
        <div key={id} class={`notice is-${kind}`}>
          <span dir="auto">{text}</span>
          {action !== undefined && (
            <button
              type="button"
              class="notice-action"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.name}
            </button>
          )}
          <IconButton icon="close" label={say('common.dismiss')} onClick={() => dismiss(id)} />
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
interface AnnouncerProps {
  readonly of: typeof announcement;
  readonly politeness: 'assertive' | 'polite';
}

function Announcer({ of, politeness }: AnnouncerProps) {
  const latest = of.value;
  const [shown, setShown] = useState<typeof latest | null>(null);
  useEffect(() => {
    if (performance.now() - latest.at < FRESH_MS) setShown(latest);
  }, [latest]);
  return (
    <div class="only-spoken" aria-live={politeness} aria-atomic="true">
      <span key={shown?.id}>{shown?.text}</span>
    </div>
  );
}
