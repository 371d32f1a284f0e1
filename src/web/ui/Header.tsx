import { useEffect, useState } from 'preact/hooks';
import { Bell } from '../notifications/Bell.js';
import { openDialogs } from '../state/dialogs.js';
import { attempt } from '../state/notices.js';
import { nameOf } from '../state/people.js';
import { navigate } from '../state/route.js';
import { logOut, session } from '../state/session.js';
import { openSheet } from '../page/sheets.js';
import { isNothingIn, readElsewhere } from '../unsaved/elsewhere.js';
import { isNothingLeft, refusedCount, whenSent } from '../unsaved/files.js';
import { say } from '../words/catalogue.js';
import { WaitingHint } from './ConnectionBanner.js';
import { Avatar } from './Avatar.js';
import { Button } from './form/Button.js';
import { lazy } from './Lazy.js';
import { Logo } from './Logo.js';
import { MenuItem, MenuLink, Popover } from './Menu.js';
import { ThemeChoice } from '../page/ThemeChoice.js';

const loadLogOut = () => import('../unsaved/LogOut.js');
const LogOutDialog = lazy(loadLogOut, 'LogOutDialog');
const loadNotSaved = () => import('../unsaved/NotSaved.js');
const NotSavedDialog = lazy(loadNotSaved, 'NotSavedDialog');
const PreferencesDialog = lazy(() => import('../page/PreferencesDialog.js'), 'PreferencesDialog');
const Shortcuts = lazy(() => import('../page/Shortcuts.js'), 'Shortcuts');

/** On every screen behind the login. */
export function Header() {
  const [isLeaving, setLeaving] = useState(false);
  const [isListShown, showList] = useState(false);
  const { value } = session;
  const mayBeAsked = !isNothingLeft.value;
  // The service may be away when they are needed.
  useEffect(() => {
    if (mayBeAsked) Promise.all([loadLogOut(), loadNotSaved()]).catch(console.warn);
  }, [mayBeAsked]);
  if (value.kind !== 'in') return null;
  const { user } = value;
  const leave = async (): Promise<void> => {
    const isNothingKept = (await whenSent()) && isNothingIn(await readElsewhere(user.id));
    if (isNothingKept) await attempt(say('header.notLoggedOut'), logOut);
    else setLeaving(true);
  };
  return (
    <>
      <header class="header">
        <a class="home" href="/">
          <Logo />
          <span>Switchboard</span>
        </a>
        {openDialogs.value.length === 0 && <WaitingHint />}
        <NotSavedButton onOpen={() => showList(true)} />
        <Bell />
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
                  <MenuLink icon="rule" href="/docs/events">
                    {say('header.events')}
                  </MenuLink>
                </nav>
                <div class="menu-part">
                  <MenuItem icon="leave" onChoose={choose(() => void leave())}>
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
      {isLeaving && <LogOutDialog userId={user.id} onClose={() => setLeaving(false)} />}
      {openSheet.value === 'preferences' && <PreferencesDialog onClose={closeSheet} />}
      {openSheet.value === 'shortcuts' && <Shortcuts onClose={closeSheet} />}
    </>
  );
}

/** While there is one. */
function NotSavedButton({ onOpen }: { readonly onOpen: () => void }) {
  const count = refusedCount.value;
  return count === 0 ? null : (
    <Button kind="danger" onClick={onOpen}>
      {say('unsaved.count', { count })}
    </Button>
  );
}

function closeSheet(): void {
  openSheet.value = null;
}
