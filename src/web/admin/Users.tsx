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

const PAGE = 50;

export function Users() {
  const [search, setSearch] = useState('');
  const [users, read] = useLoaded(() => client.admin.listUsers({ limit: PAGE, ...(search === '' ? {} : { search }) }), search);
  const act = (work: () => Promise<unknown>): void => void attempt('Not done', work).then(read);
  return (
    <Section title="Users">
      <div class="field">
        <label for="user-search">Search</label>
        <input
          id="user-search"
          type="search"
          dir="auto"
          placeholder="Name or e-mail"
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
            {list.length === PAGE && <p class="hint">These are the first {PAGE}. Search for others.</p>}
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
  const facts = [email, ...(is_verified ? [] : ['address not confirmed']), ...(has_second_factor ? ['second factor'] : [])];
  return (
    <li class="row-item">
      <Avatar id={id} user={user} />
      <div>
        <p dir="auto">
          {nameOf(user)}
          {is_superuser && <span class="news">superuser</span>}
          {!is_active && <span class="news">deactivated</span>}
        </p>
        <p class="hint" dir="auto">
          {facts.join(' · ')}
        </p>
      </div>
      {id !== currentUser().id && (
        <Popover icon="dots" label={`Actions for ${user.username}`}>
          {(close) => {
            const choose = (work: () => Promise<unknown>) => (): void => {
              close();
              act(work);
            };
            return (
              <>
                {is_active ? (
                  <MenuItem icon="lock" isDanger onChoose={choose(() => client.admin.deactivateUser({ user_id: id }))}>
                    Deactivate
                  </MenuItem>
                ) : (
                  <MenuItem icon="check" onChoose={choose(() => client.admin.activateUser({ user_id: id }))}>
                    Activate
                  </MenuItem>
                )}
                {is_superuser ? (
                  <MenuItem icon="user" isDanger onChoose={choose(() => client.admin.demoteUser({ user_id: id }))}>
                    Take superuser rights away
                  </MenuItem>
                ) : (
                  <MenuItem icon="key" onChoose={choose(() => client.admin.promoteUser({ user_id: id }))}>
                    Make a superuser
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
                  Delete…
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
