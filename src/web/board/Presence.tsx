import type { OpenBoard } from '../state/openBoard.js';
import { nameOf } from '../state/people.js';
import { Avatar } from '../ui/Avatar.js';
import { formatNumber, say } from '../words/catalogue.js';

const MAX_FACES = 6;

/** Who is on the board now. */
export function Presence({ open }: { readonly open: OpenBoard }) {
  const online = open.online.value;
  const rest = online.length - MAX_FACES;
  return (
    <ul class="presence" aria-label={say('board.hereNow')}>
      {online.slice(0, MAX_FACES).map(({ user_id, username }) => (
        <li key={user_id}>
          <Avatar id={user_id} user={open.memberOf(user_id)?.user ?? { username }} />
        </li>
      ))}
      {rest > 0 && (
        <li
          class="fact"
          title={online
            .slice(MAX_FACES)
            .map(({ user_id, username }) => nameOf(open.memberOf(user_id)?.user ?? { username }))
            .join(', ')}
        >
          +{formatNumber(rest)}
        </li>
      )}
    </ul>
  );
}
