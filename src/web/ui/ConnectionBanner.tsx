import { useEffect, useState } from 'preact/hooks';
import { shownBoard } from '../state/openBoard.js';
import { client } from '../state/session.js';
import { waiting } from '../state/unsaved.js';
import { say } from '../words/catalogue.js';

/** A change that is answered sooner is not worth a word. */
const LATE_MS = 3_000;

/** Says quietly that the board is not live at the moment. Everything stays readable. On the board, and in the topmost dialog. */
export function ConnectionBanner() {
  const pending = shownBoard.value?.pending.value ?? 0;
  if (!isCutOff()) return <div role="status" class="banner-place" />;
  return (
    <div role="status" class="banner-place">
      <p class="banner">
        {say('banner.cutOff')} {pending > 0 && sayWaiting(pending)}
      </p>
    </div>
  );
}

/** In the header of every screen, or in the topmost dialog: the service does not answer changes, while nothing else says so. */
export function WaitingHint() {
  const [lateKey, setLateKey] = useState<string | null>(null);
  const changes = waiting.value;
  const first = changes[0]?.key ?? null;
  useEffect(() => {
    if (first === null) return;
    const timer = setTimeout(() => setLateKey(first), LATE_MS);
    return () => clearTimeout(timer);
  }, [first]);
  return (
    <span role="status" class="hint">
      {first !== null && first === lateKey && !isCutOff() && sayWaiting(changes.length)}
    </span>
  );
}

function isCutOff(): boolean {
  return shownBoard.value?.state.value.kind === 'waiting';
}

function sayWaiting(count: number): string {
  return client.unsent.isUnsafe ? say('banner.waitsHere', { count }) : say('banner.waits', { count });
}
