import type { ConnectionState } from '../../client/index.js';
import { AddressWarning } from '../signIn/AddressWarning.js';

type Closed = Extract<ConnectionState, { readonly kind: 'closed' }>;

/** The board cannot be shown any more, or never could. */
export function Unavailable({ state }: { readonly state: Closed }) {
  const [title, text] =
    state.cause === 'board deleted'
      ? ['This board is gone', 'It was deleted.']
      : ['No access to this board', 'It does not exist, or you are not a member. Ask one of its owners for an invitation.'];
  return (
    <main class="page is-narrow">
      <h1>{title}</h1>
      <p>{text}</p>
      <AddressWarning />
      <p>
        <a class="button is-primary" href="/">
          All boards
        </a>
      </p>
    </main>
  );
}
