/** Chooses the screen for the address and the session. */
import { useEffect } from 'preact/hooks';
import { AwayScreen } from './kept/AwayScreen.js';
import { followLogins } from './kept/resumeFiles.js';
import { BoardScreen } from './board/BoardScreen.js';
import { BoardsScreen } from './boards/BoardsScreen.js';
import { LoginScreen } from './signIn/LoginScreen.js';
import { openDialogs } from './state/dialogs.js';
import { here, loginPath, navigate, route, type Route } from './state/route.js';
import { session } from './state/session.js';
import { Header } from './ui/Header.js';
import { lazy } from './ui/Lazy.js';
import { Messages } from './ui/Messages.js';
import { say } from './words/catalogue.js';

const AccountScreen = lazy(() => import('./account/AccountScreen.js'), 'AccountScreen');
const MyCardsScreen = lazy(() => import('./myCards/MyCardsScreen.js'), 'MyCardsScreen');
const NoticeSettingsScreen = lazy(() => import('./notifications/NoticeSettingsScreen.js'), 'NoticeSettingsScreen');
const AdminScreen = lazy(() => import('./admin/AdminScreen.js'), 'AdminScreen');
const RegisterScreen = lazy(() => import('./signIn/RegisterScreen.js'), 'RegisterScreen');
const InvitationScreen = lazy(() => import('./signIn/InvitationScreen.js'), 'InvitationScreen');
const SetupScreen = lazy(() => import('./signIn/SetupScreen.js'), 'SetupScreen');
const ForgotPasswordScreen = lazy(() => import('./signIn/mailScreens.js'), 'ForgotPasswordScreen');
const ResetPasswordScreen = lazy(() => import('./signIn/mailScreens.js'), 'ResetPasswordScreen');
const VerifyEmailScreen = lazy(() => import('./signIn/mailScreens.js'), 'VerifyEmailScreen');

export function App() {
  useEffect(followLogins, []);
  return (
    <>
      <Screen />
      {openDialogs.value.length === 0 && <Messages />}
    </>
  );
}

function Screen() {
  const place = route.value;
  const { kind } = session.value;
  switch (place.screen) {
    case 'login':
      return kind === 'in' ? <Redirect to={place.returnTo} /> : <LoginScreen returnTo={place.returnTo} />;
    case 'register':
      return <RegisterScreen />;
    case 'invitation':
      return <InvitationScreen />;
    case 'setup':
      return kind === 'in' ? <Redirect to="/" /> : <SetupScreen />;
    case 'forgotPassword':
      return <ForgotPasswordScreen />;
    case 'resetPassword':
      return <ResetPasswordScreen />;
    case 'verifyEmail':
      return <VerifyEmailScreen />;
  }
  if (kind === 'starting')
    return (
      <p class="loading" role="status">
        {say('common.loading')}
      </p>
    );
  if (kind === 'unreachable') return <AwayScreen place={place} />;
  if (kind === 'out') return <Redirect to={loginPath(here())} />;
  return (
    <div class="frame">
      <Header />
      <Inside place={place} />
    </div>
  );
}

function Inside({ place }: { readonly place: Exclude<Route, { readonly screen: 'login' }> }) {
  switch (place.screen) {
    case 'board':
      return <BoardScreen boardId={place.boardId} cardId={place.cardId} number={place.number} />;
    case 'boards':
      return <BoardsScreen />;
    case 'myCards':
      return <MyCardsScreen />;
    case 'noticeSettings':
      return <NoticeSettingsScreen />;
    case 'account':
      return <AccountScreen />;
    case 'admin':
      return <AdminScreen part="service" />;
    case 'adminWebhooks':
      return <AdminScreen part="webhooks" />;
    default:
      return (
        <main class="page is-narrow">
          <h1>{say('app.nothingHere')}</h1>
          <p>{say('app.nowhere')}</p>
          <p>
            <a class="button is-primary" href="/">
              {say('header.allBoards')}
            </a>
          </p>
        </main>
      );
  }
}

function Redirect({ to }: { readonly to: string }) {
  useEffect(() => navigate(to, 'replace'), [to]);
  return null;
}
