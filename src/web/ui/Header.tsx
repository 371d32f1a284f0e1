import { useState } from 'preact/hooks';
import { session, logOut } from '../state/session.js';
import { attempt } from '../state/notices.js';
import { navigate } from '../state/route.js';
import { nameOf } from '../state/people.js';
import { whenSent } from '../state/unsaved.js';
import { LogOutDialog } from '../unsaved/LogOut.js';
import { NotSavedButton, NotSavedDialog } from '../unsaved/NotSaved.js';
import { Avatar } from './Avatar.js';
import { Logo } from './Logo.js';
import { MenuItem, Popover } from './Menu.js';

/** On every screen behind the login. */
export function Header() {
  const [isLeaving, setLeaving] = useState(false);
  const [isListShown, showList] = useState(false);
  const { value } = session;
  if (value.kind !== 'in') return null;
  const { user } = value;
  return (
    <>
      <header class="header">
        <a class="home" href="/">
          <Logo />
          <span>Switchboard</span>
        </a>
        <nav class="header-links" aria-label="Documents">
          <a href="/docs">API</a>
          <a href="/redoc">Reference</a>
          <a href="/asyncapi.json">Events</a>
        </nav>
        <NotSavedButton onOpen={() => showList(true)} />
        <Avatar id={user.id} user={user} />
        <Popover icon="dots" label="Account">
          {(close) => {
            const go = (path: string) => (): void => {
              close();
              navigate(path);
            };
            return (
              <>
                <p class="menu-title" dir="auto">
                  {nameOf(user)}
                </p>
                <MenuItem icon="board" onChoose={go('/')}>
                  All boards
                </MenuItem>
                <MenuItem icon="user" onChoose={go('/app/account')}>
                  Account
                </MenuItem>
                {user.is_superuser && (
                  <MenuItem icon="gear" onChoose={go('/app/admin')}>
                    Administration
                  </MenuItem>
                )}
                <MenuItem
                  icon="lock"
                  onChoose={() => {
                    close();
                    void whenSent().then((isAllSent) => (isAllSent ? void attempt('Not logged out', logOut) : setLeaving(true)));
                  }}
                >
                  Log out
                </MenuItem>
              </>
            );
          }}
        </Popover>
      </header>
      {/* Dialogs are no part of the banner. */}
      {isListShown && <NotSavedDialog onClose={() => showList(false)} />}
      {isLeaving && <LogOutDialog onClose={() => setLeaving(false)} />}
    </>
  );
}
