import type { OpenBoard } from '../state/openBoard.js';
import { client } from '../state/session.js';

/** Says quietly that the board is not live at the moment. Everything stays readable. */
export function ConnectionBanner({ open }: { readonly open: OpenBoard }) {
  const state = open.state.value;
  const pending = open.pending.value;
  if (state.kind !== 'waiting') return <div role="status" class="banner-place" />;
  const where = client.unsent.isUnsafe ? '; leave this page open.' : ', also if you close this page.';
  const waiting = pending === 0 ? '' : `${pending === 1 ? ' One change waits' : ` ${pending} changes wait`} to be saved${where}`;
  return (
    <div role="status" class="banner-place">
      <p class="banner">Cut off. You see the board as it was; it catches up by itself.{waiting}</p>
    </div>
  );
}
