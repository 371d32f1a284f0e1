import { useState } from 'preact/hooks';
import { attempt } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { navigate } from '../state/route.js';
import { logOut, session } from '../state/session.js';
import { openSheet } from '../page/sheets.js';
import { whenSent } from '../state/unsaved.js';
import { LogOutDialog } from '../unsaved/LogOut.js';
import { NotSavedButton, NotSavedDialog } from '../unsaved/NotSaved.js';
import { say } from '../words/catalogue.js';
import { Avatar } from './Avatar.js';
import { lazy } from './Lazy.js';
import { Logo } from './Logo.js';
import { MenuItem, MenuLink, Popover } from './Menu.js';
import { ThemeChoice } from '../page/ThemeChoice.js';

const PreferencesDialog = lazy(async () => (await import('../page/PreferencesDialog.js')).PreferencesDialog);
const Shortcuts = lazy(async () => (await import('../page/Shortcuts.js')).Shortcuts);

/** On every screen behind the login. */
export function Header() {
  const [isLeaving, setLeaving] = useState(false);
  const [isListShown, showList] = useState(false);
  const { value } = session;
  if (value.kind !== 'in') return null;
  const { user } = value;
  const leave = (): void => void whenSent().then((isAllSent) => (isAllSent ? void attempt(say('header.notLoggedOut'), logOut) : setLeaving(true)));
  return (
    <>
      <header class="header">
        <a class="home" href="/">
          <Logo />
          <span>Switchboard</span>
        </a>
        <NotSavedButton onOpen={() => showList(true)} />
        <Popover face={<Avatar id={user.id} user={user} />} label={say('header.menu')}>
          {(close) => {
            const choose = (act: () => void) => (): void => {
              close();
              act();
            };
            const go = (path: string): (() => void) => choose(() => navigate(path));
            return (
              <>
                <div class="menu-part">
                  <p class="menu-title">
                    <bdi>{nameOf(user)}</bdi>
                  </p>
                  <MenuItem icon="board" onChoose={go('/')}>
                    {say('header.allBoards')}
                  </MenuItem>
                  <MenuItem icon="user" onChoose={go('/app/account')}>
                    {say('header.account')}
                  </MenuItem>
                  {user.is_superuser && (
                    <MenuItem icon="gear" onChoose={go('/app/admin')}>
                      {say('header.administration')}
                    </MenuItem>
                  )}
                </div>
                <div class="menu-part">
                  <ThemeChoice />
                  <MenuItem icon="sliders" onChoose={choose(() => (openSheet.value = 'preferences'))}>
                    {say('header.preferences')}
                  </MenuItem>
                  <MenuItem icon="keyboard" onChoose={choose(() => (openSheet.value = 'shortcuts'))}>
                    {say('header.shortcuts')}
                  </MenuItem>
                </div>
                <nav class="menu-part" aria-label={say('header.developers')}>
                  <p class="menu-title">{say('header.developers')}</p>
                  <MenuLink icon="code" href="/docs">
                    {say('header.api')}
                  </MenuLink>
                  <MenuLink icon="text" href="/redoc">
                    {say('header.reference')}
                  </MenuLink>
                  <MenuLink icon="rule" href="/asyncapi.json">
                    {say('header.events')}
                  </MenuLink>
                </nav>
                <div class="menu-part">
                  <MenuItem icon="leave" onChoose={choose(leave)}>
                    {say('header.logOut')}
                  </MenuItem>
                </div>
              </>
            );
          }}
        </Popover>
      </header>
      {/* Dialogs are no part of the banner. */}
      {isListShown && <NotSavedDialog onClose={() => showList(false)} />}
      {isLeaving && <LogOutDialog onClose={() => setLeaving(false)} />}
      {openSheet.value === 'preferences' && <PreferencesDialog onClose={closeSheet} />}
      {openSheet.value === 'shortcuts' && <Shortcuts onClose={closeSheet} />}
    </>
  );
}

function closeSheet(): void {
  openSheet.value = null;
}
