import { ApiError, type ConnectionState } from '../../client/index.js';
import { AddressWarning } from '../signIn/AddressWarning.js';
import { draftsFor } from '../state/drafts.js';
import { reasonOf } from '../state/notices.js';
import { client } from '../state/session.js';
import { LostDrafts } from '../ui/LostDrafts.js';
import { useLoaded, type Loaded } from '../ui/useLoaded.js';
import { say } from '../words/catalogue.js';

type Closed = Extract<ConnectionState, { readonly kind: 'closed' }>;

interface UnavailableProps {
  readonly boardId: string;
  readonly state: Closed;
}

/** The board cannot be shown any more, or never could. What was typed for it can still be copied. */
export function Unavailable({ boardId, state }: UnavailableProps) {
  // A refused socket may have other reasons than the board, so the service is asked.
  const [members] = useLoaded(() => client.member.list({ board_id: boardId }), boardId);
  const [title, text] = state.cause === 'board deleted' ? [say('unavailable.gone'), say('unavailable.deleted')] : whyNot(members, state);
  const drafts = draftsFor({ boardId });
  return (
    <main class="page is-narrow">
      <h1>{title}</h1>
      <p role="status" dir="auto">
        {text}
      </p>
      <AddressWarning />
      {drafts.length > 0 && <h2>{say('gone.yourText')}</h2>}
      <LostDrafts drafts={drafts} />
      <p>
        <a class="button is-primary" href="/">
          {say('header.allBoards')}
        </a>
      </p>
    </main>
  );
}

function whyNot(members: Loaded<unknown>, { reason }: Closed): readonly [title: string, text: string] {
  if (members.kind === 'loading') return [say('unavailable.notShown'), ''];
  if (members.kind === 'ready') return [say('unavailable.notShown'), say('unavailable.notLive', { reason })];
  const { error } = members;
  const isLost = error instanceof ApiError && [403, 404, 422].includes(error.status);
  return isLost ? [say('unavailable.noAccess'), say('unavailable.notMember')] : [say('unavailable.notShown'), reasonOf(error)];
}
