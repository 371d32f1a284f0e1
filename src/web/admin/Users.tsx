import { useState } from 'preact/hooks';
import type { PublicUser } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { client, currentUser } from '../state/session.js';
import { Avatar } from '../ui/Avatar.js';
import { Loading } from '../ui/Loading.js';
import { MenuItem, Popover } from '../ui/Menu.js';
import { Section } from '../ui/Section.js';
import { useLoaded } from '../ui/useLoaded.js';
import { DeleteUser } from './DeleteUser.js';
import { say } from '../words/catalogue.js';

const PAGE = 50;

export function Users() {
  const [search, setSearch] = useState('');
  const [users, read] = useLoaded(() => client.admin.listUsers({ limit: PAGE, ...(search === '' ? {} : { search }) }), search);
  const act = (work: () => Promise<unknown>): void => void attempt(say('users.notDone'), work).then(read);
  return (
    <Section title={say('users.title')}>
      <div class="field">
        <label for="user-search">{say('users.search')}</label>
        <input
          id="user-search"
          type="search"
          dir="auto"
          placeholder={say('users.placeholder')}
          onInput={(event) => setSearch(event.currentTarget.value.trim())}
        />
      </div>
      <Loading state={users}>
        {(list) => (
          <>
            <ul class="rows">
              {list.map((user) => (
                <UserRow key={user.id} user={user} act={act} />
              ))}
            </ul>
            {list.length === PAGE && <p class="hint">{say('users.first', { count: PAGE })}</p>}
          </>
        )}
      </Loading>
    </Section>
  );
}

interface UserRowProps {
  readonly user: PublicUser & { readonly has_second_factor: boolean };
  readonly act: (work: () => Promise<unknown>) => void;
}

function UserRow({ user, act }: UserRowProps) {
  const [isDeleting, setDeleting] = useState(false);
  const { id, email, is_active, is_superuser, is_verified, has_second_factor } = user;
  const facts = [email, ...(is_verified ? [] : [say('users.notConfirmed')]), ...(has_second_factor ? [say('users.factor')] : [])];
  return (
    <li class="row-item">
      <Avatar id={id} user={user} />
      <div class="row-main">
        <p>
          <bdi>{nameOf(user)}</bdi>
          {is_superuser && <span class="news">{say('users.superuser')}</span>}
          {!is_active && <span class="news">{say('users.deactivated')}</span>}
        </p>
        <p class="hint">
          <bdi>{facts.join(' · ')}</bdi>
        </p>
      </div>
      {id !== currentUser().id && (
        <Popover icon="dots" label={say('users.actions', { name: user.username })}>
          {(close) => {
            const choose = (work: () => Promise<unknown>) => (): void => {
              close();
              act(work);
            };
            return (
              <>
                {is_active ? (
                  <MenuItem icon="lock" isDanger onChoose={choose(() => client.admin.deactivateUser({ user_id: id }))}>
                    {say('users.deactivate')}
                  </MenuItem>
                ) : (
                  <MenuItem icon="check" onChoose={choose(() => client.admin.activateUser({ user_id: id }))}>
                    {say('users.activate')}
                  </MenuItem>
                )}
                {is_superuser ? (
                  <MenuItem icon="user" isDanger onChoose={choose(() => client.admin.demoteUser({ user_id: id }))}>
                    {say('users.demote')}
                  </MenuItem>
                ) : (
                  <MenuItem icon="key" onChoose={choose(() => client.admin.promoteUser({ user_id: id }))}>
                    {say('users.promote')}
                  </MenuItem>
                )}
                <MenuItem
                  icon="trash"
                  isDanger
                  onChoose={() => {
                    close();
                    setDeleting(true);
                  }}
                >
                  {say('users.delete')}
                </MenuItem>
              </>
            );
          }}
        </Popover>
      )}
      {isDeleting && <DeleteUser user={user} onDeleted={() => act(() => Promise.resolve())} onClose={() => setDeleting(false)} />}
    </li>
  );
}
