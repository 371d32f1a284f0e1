import type { PublicUser } from '../../client/index.js';
import { canBeAssigned, nameOf } from '../state/people.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Avatar } from '../ui/Avatar.js';
import { say } from '../words/catalogue.js';

interface PeopleChoiceProps {
  readonly open: OpenBoard;
  readonly chosen: readonly PublicUser[];
  readonly onAdd: (userId: string) => void;
  readonly onRemove: (userId: string) => void;
}

/** The members of the board, to assign a card or an item to. Those who only view or comment cannot be assigned. */
export function PeopleChoice({ open, chosen, onAdd, onRemove }: PeopleChoiceProps) {
  const ids = new Set(chosen.map(({ id }) => id));
  return (
    <fieldset class="choices">
      <legend>{say('facts.assignTo')}</legend>
      {(open.board.value?.members ?? []).filter(canBeAssigned).map(({ user_id, user }) => (
        <label key={user_id} class="choice">
          <input type="checkbox" checked={ids.has(user_id)} onChange={() => (ids.has(user_id) ? onRemove(user_id) : onAdd(user_id))} />
          <span aria-hidden="true">
            <Avatar id={user_id} user={user} isSmall />
          </span>
          <span dir="auto">{nameOf(user)}</span>
        </label>
      ))}
    </fieldset>
  );
}
