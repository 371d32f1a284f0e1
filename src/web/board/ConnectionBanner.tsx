import type { OpenBoard } from '../state/openBoard.js';
import { client } from '../state/session.js';
import { say } from '../words/catalogue.js';

/** Says quietly that the board is not live at the moment. Everything stays readable. */
export function ConnectionBanner({ open }: { readonly open: OpenBoard }) {
  const state = open.state.value;
  const pending = open.pending.value;
  if (state.kind !== 'waiting') return <div role="status" class="banner-place" />;
  const waiting = client.unsent.isUnsafe ? say('banner.waitsHere', { count: pending }) : say('banner.waits', { count: pending });
  return (
    <div role="status" class="banner-place">
      <p class="banner">
        {say('banner.cutOff')} {pending > 0 && waiting}
      </p>
    </div>
  );
}
