/** Who is on the board, with which role. */
import { currentUser } from '../state/session.js';
import { InvitationLinks } from './InvitationLinks.js';
import { InvitePeople } from './InvitePeople.js';
import { RoleRights } from '../ui/form/RoleChoice.js';
import { MemberRow } from './MemberRow.js';
import type { SectionProps } from './sectionProps.js';
import { say } from '../words/catalogue.js';

export function MembersSection({ open, board }: SectionProps) {
  const isOwner = open.isOwner.value;
  const { members } = board;
  const owners = members.filter(({ role }) => role === 'owner').length;
  const here = new Set(open.online.value.map(({ user_id }) => user_id));
  return (
    <>
      {isOwner && <InvitePeople board={board} />}
      <section aria-labelledby="panel-members">
        <h3 id="panel-members">{say('boards.members', { count: members.length })}</h3>
        <ul class="rows">
          {members.map((member) => (
            <MemberRow
              key={member.user_id}
              board={board}
              member={member}
              isYou={member.user_id === currentUser().id}
              isHere={here.has(member.user_id)}
              isLastOwner={member.role === 'owner' && owners === 1}
              mayChange={isOwner}
            />
          ))}
        </ul>
        <RoleRights />
      </section>
      {isOwner && <InvitationLinks boardId={board.id} />}
    </>
  );
}
