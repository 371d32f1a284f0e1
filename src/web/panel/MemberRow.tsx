import { useState } from 'preact/hooks';
import type { BoardMember, FullBoard } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { Avatar } from '../ui/Avatar.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';

type Role = BoardMember['role'];

interface MemberRowProps {
  readonly board: FullBoard;
  readonly member: BoardMember;
  readonly isYou: boolean;
  readonly isHere: boolean;
  readonly isLastOwner: boolean;
  /** Whether the user is an owner. */
  readonly mayChange: boolean;
}

type Question = 'remove' | 'leave' | 'step down';

export function MemberRow({ board, member, isYou, isHere, isLastOwner, mayChange }: MemberRowProps) {
  const { user, user_id, role } = member;
  const [wanted, setWanted] = useState<Role | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const name = nameOf(user);
  const path = { board_id: board.id, user_id };
  const setRole = async (next: Role): Promise<void> => {
    setWanted(next);
    await attempt('The role was not changed', () => client.member.setRole(path, { role: next }));
    setWanted(null);
  };
  const remove = (): void => void attempt(`${name} was not removed`, () => client.member.remove(path));
  const leave = (): void =>
    void attempt('You are still on the board', async () => {
      await client.member.remove(path);
      navigate('/');
    });
  return (
    <li class="row-item">
      <Avatar id={user_id} user={user} />
      <div class="row-main">
        <p>
          <bdi class="row-name">{name}</bdi>
          {isYou && <span class="tag">you</span>}
          {isHere && !isYou && <span class="tag is-good">here now</span>}
        </p>
        <p class="hint">
          <bdi>{user.email}</bdi>
        </p>
      </div>
      {mayChange && !isLastOwner ? (
        <select
          class="is-compact"
          aria-label={`Role of ${name}`}
          value={wanted ?? role}
          onChange={(event) => {
            const next = event.currentTarget.value === 'owner' ? 'owner' : 'member';
            if (isYou && next === 'member') {
              event.currentTarget.value = role;
              setQuestion('step down');
            } else void setRole(next);
          }}
        >
          <option value="owner">Owner</option>
          <option value="member">Member</option>
        </select>
      ) : (
        <span class="muted" {...(isLastOwner && mayChange ? { title: 'A board needs an owner' } : {})}>
          {role === 'owner' ? 'Owner' : 'Member'}
        </span>
      )}
      {mayChange && !isYou && <IconButton icon="close" label={`Remove ${name}`} onClick={() => setQuestion('remove')} />}
      {isYou && !isLastOwner && (
        <Button kind="quiet" icon="leave" onClick={() => setQuestion('leave')}>
          Leave
        </Button>
      )}
      {isYou && isLastOwner && board.members.length > 1 && (
        <p class="hint row-note">You are the only owner. To leave, make somebody else an owner first.</p>
      )}
      {question === 'remove' && (
        <ConfirmDialog
          title="Remove the member?"
          text={
            <>
              <bdi>{name}</bdi> will no longer see “<bdi>{board.title}</bdi>”, and is taken off its cards.
            </>
          }
          action={`Remove ${name}`}
          onClose={() => setQuestion(null)}
          onConfirm={remove}
        />
      )}
      {question === 'leave' && (
        <ConfirmDialog
          title="Leave the board?"
          text={
            <>
              You will no longer see “<bdi>{board.title}</bdi>”, and are taken off its cards. Only an owner can invite you again.
            </>
          }
          action="Leave the board"
          onClose={() => setQuestion(null)}
          onConfirm={leave}
        />
      )}
      {question === 'step down' && (
        <ConfirmDialog
          title="Become a member?"
          text={
            <>
              You will no longer be an owner of “<bdi>{board.title}</bdi>”. Only another owner can make you one again.
            </>
          }
          action="Become a member"
          onClose={() => setQuestion(null)}
          onConfirm={() => void setRole('member')}
        />
      )}
    </li>
  );
}
