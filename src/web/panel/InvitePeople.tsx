/** Finds people by name or address, and puts them on the board. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FullBoard, PublicUser } from '../../client/index.js';
import { announce, attempt } from '../state/notices.js';
import { nameOf, type Role } from '../state/people.js';
import { client } from '../state/session.js';
import { Avatar } from '../ui/Avatar.js';
import { Icon } from '../ui/Icon.js';
import { RoleChoice } from '../ui/form/RoleChoice.js';
import { InviteNewcomer } from './InviteNewcomer.js';
import { useUserSearch } from './useUserSearch.js';
import { say, sayWith } from '../words/catalogue.js';

export function InvitePeople({ board }: { readonly board: FullBoard }) {
  const [text, setText] = useState('');
  const [isAdding, setAdding] = useState(false);
  // The list may still belong to an earlier text: Enter is obeyed when the one for this text is there.
  const [entered, setEntered] = useState<string | null>(null);
  const [role, setRole] = useState<Role>('member');
  const root = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const search = useUserSearch(text);
  const members = new Set(board.members.map(({ user_id }) => user_id));
  const others = search.kind === 'found' ? search.users.filter(({ id }) => !members.has(id)) : [];
  const known = search.kind === 'found' ? search.users.filter(({ id }) => members.has(id)) : [];

  const add = async (user: PublicUser): Promise<void> => {
    setAdding(true);
    const isAdded = await attempt(say('invite.notInvited', { name: nameOf(user) }), () =>
      client.member.add({ board_id: board.id }, { user_id: user.id, role }),
    );
    setAdding(false);
    if (!isAdded) return;
    announce(say('invite.isOn', { name: nameOf(user) }));
    setText('');
    input.current?.focus();
  };

  useEffect(() => {
    if (entered === null || isAdding || search.kind !== 'found' || search.text !== entered) return;
    setEntered(null);
    const [first] = others;
    if (first !== undefined && others.length === 1) void add(first);
  }, [entered, search, isAdding]);

  const walk = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [...(root.current?.querySelectorAll<HTMLElement>('input, .found') ?? [])];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  };

  return (
    <section ref={root} class="invite" aria-labelledby="panel-invite" onKeyDown={walk}>
      <h3 id="panel-invite">{say('invite.title')}</h3>
      <form
        class="search is-wide"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setEntered(text.trim());
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          dir="auto"
          autofocus
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={255}
          placeholder={say('invite.placeholder')}
          aria-label={say('invite.label')}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setEntered(null);
          }}
        />
      </form>
      <label class="row invite-role">
        <span>{say('invite.as')}</span>
        <RoleChoice
          label={say('invite.role')}
          value={role}
          onChange={(next) => {
            setRole(next);
            return true;
          }}
        />
      </label>
      {others.length > 0 && (
        <ul class="found-list" aria-label={say('invite.found')}>
          {others.map((user) => (
            <li key={user.id}>
              <button type="button" class="found" disabled={isAdding} onClick={() => void add(user)}>
                <Avatar id={user.id} user={user} />
                <span class="row-main">
                  <bdi class="row-name">{nameOf(user)}</bdi>
                  <span class="hint">
                    <bdi>{user.email}</bdi>
                  </span>
                </span>
                <span class="found-action">
                  <Icon name="add" />
                  {say('invite.invite')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div role="status">
        {search.kind === 'searching' && <p class="hint">{say('invite.searching')}</p>}
        {search.kind === 'failed' && <p class="refusal">{search.reason}</p>}
        {known.length > 0 && (
          <p class="hint">
            {sayWith('invite.alreadyOn', {
              names: known.map((user, index) => (
                <>
                  {index > 0 && ', '}
                  <bdi key={user.id}>{nameOf(user)}</bdi>
                </>
              )),
            })}
          </p>
        )}
        {search.kind === 'found' && search.users.length === 0 && <InviteNewcomer boardId={board.id} text={search.text} role={role} />}
      </div>
    </section>
  );
}
