import type { OpenBoard } from '../state/openBoard.js';

/** Says quietly that the board is not live at the moment. Everything stays readable. */
export function ConnectionBanner({ open }: { readonly open: OpenBoard }) {
  const state = open.state.value;
  const pending = open.pending.value;
  if (state.kind !== 'waiting') return <div role="status" class="banner-place" />;
  const waiting = pending === 0 ? '' : pending === 1 ? ' One change waits to be saved.' : ` ${pending} changes wait to be saved.`;
  return (
    <div role="status" class="banner-place">
      <p class="banner">Cut off. You see the board as it was; it catches up by itself.{waiting}</p>
    </div>
  );
}
