import { useState } from 'preact/hooks';
import type { BoardMember, FullBoard } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import { nameOf, type Role } from '../state/people.js';
import { navigate } from '../state/route.js';
import { client } from '../state/session.js';
import { Avatar } from '../ui/Avatar.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { RoleChoice, RoleName } from '../ui/form/RoleChoice.js';
import { say, sayWith } from '../words/catalogue.js';

interface MemberRowProps {
  readonly board: FullBoard;
  readonly member: BoardMember;
  readonly isYou: boolean;
  readonly isHere: boolean;
  readonly isLastOwner: boolean;
  /** Whether the user is an owner. */
  readonly mayChange: boolean;
}

type Question = 'remove' | 'leave' | { readonly stepDownTo: Role };

export function MemberRow({ board, member, isYou, isHere, isLastOwner, mayChange }: MemberRowProps) {
  const { user, user_id, role } = member;
  const [wanted, setWanted] = useState<Role | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const name = nameOf(user);
  const path = { board_id: board.id, user_id };
  const setRole = async (next: Role): Promise<void> => {
    setWanted(next);
    await attempt(say('member.roleNotChanged'), () => client.member.setRole(path, { role: next }));
    setWanted(null);
  };
  const remove = (): void => void attempt(say('member.notRemoved', { name }), () => client.member.remove(path));
  const leave = (): void =>
    void attempt(say('member.notLeft'), async () => {
      await client.member.remove(path);
      navigate('/');
    });
  return (
    <li class="row-item">
      <Avatar id={user_id} user={user} />
      <div class="row-main">
        <p>
          <bdi class="row-name">{name}</bdi>
          {isYou && <span class="tag">{say('member.you')}</span>}
          {isHere && !isYou && <span class="tag is-good">{say('member.hereNow')}</span>}
        </p>
        <p class="hint">
          <bdi>{user.email}</bdi>
        </p>
      </div>
      {mayChange && !isLastOwner ? (
        <RoleChoice
          label={say('member.roleOf', { name })}
          value={wanted ?? role}
          onChange={(next) => {
            if (isYou && next !== 'owner') {
              setQuestion({ stepDownTo: next });
              return false;
            }
            void setRole(next);
            return true;
          }}
        />
      ) : (
        <RoleName role={role} title={isLastOwner && mayChange ? say('member.needsOwner') : undefined} />
      )}
      {mayChange && !isYou && <IconButton icon="close" label={say('member.removeIt', { name })} onClick={() => setQuestion('remove')} />}
      {isYou && !isLastOwner && (
        <Button kind="quiet" icon="leave" onClick={() => setQuestion('leave')}>
          {say('member.leave')}
        </Button>
      )}
      {isYou && isLastOwner && board.members.length > 1 && <p class="hint row-note">{say('member.onlyOwner')}</p>}
      {question === 'remove' && (
        <ConfirmDialog
          title={say('member.removeQuestion')}
          text={sayWith('member.removeText', { name: <bdi>{name}</bdi>, board: <bdi>{board.title}</bdi> })}
          action={say('member.removeIt', { name })}
          onClose={() => setQuestion(null)}
          onConfirm={remove}
        />
      )}
      {question === 'leave' && (
        <ConfirmDialog
          title={say('member.leaveQuestion')}
          text={sayWith('member.leaveText', { board: <bdi>{board.title}</bdi> })}
          action={say('member.leaveBoard')}
          onClose={() => setQuestion(null)}
          onConfirm={leave}
        />
      )}
      {typeof question === 'object' && question !== null && (
        <ConfirmDialog
          title={say('member.stepDownQuestion')}
          text={sayWith('member.stepDownText', { board: <bdi>{board.title}</bdi> })}
          action={say('member.stepDown')}
          onClose={() => setQuestion(null)}
          onConfirm={() => void setRole(question.stepDownTo)}
        />
      )}
    </li>
  );
}
