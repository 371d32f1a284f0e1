import type { ConnectionState } from '../../client/index.js';
import { AddressWarning } from '../signIn/AddressWarning.js';
import { say } from '../words/catalogue.js';

type Closed = Extract<ConnectionState, { readonly kind: 'closed' }>;

/** The board cannot be shown any more, or never could. */
export function Unavailable({ state }: { readonly state: Closed }) {
  const [title, text] =
    state.cause === 'board deleted'
      ? [say('unavailable.gone'), say('unavailable.deleted')]
      : [say('unavailable.noAccess'), say('unavailable.notMember')];
  return (
    <main class="page is-narrow">
      <h1>{title}</h1>
      <p>{text}</p>
      <AddressWarning />
      <p>
        <a class="button is-primary" href="/">
          {say('header.allBoards')}
        </a>
      </p>
    </main>
  );
}
