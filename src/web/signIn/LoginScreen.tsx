import { useEffect } from 'preact/hooks';
import { loadMethods } from '../state/methods.js';
import { navigate } from '../state/route.js';
import { session } from '../state/session.js';
import { useLoaded } from '../ui/useLoaded.js';
import { SignInLayout } from './SignInLayout.js';
import { LoginForm } from './LoginForm.js';
import { signOnFailure } from './signOnFailure.js';
import { say, sayWith } from '../words/catalogue.js';

export function LoginScreen({ returnTo }: { readonly returnTo: string }) {
  const [methods] = useLoaded(loadMethods);
  const known = methods.kind === 'ready' ? methods.value : null;
  // There is no account yet to log in with.
  const isUntouched = known !== null && known.setup !== null;
  useEffect(() => {
    if (isUntouched) navigate('/app/setup', 'replace');
  }, [isUntouched]);
  const ended = session.value.kind === 'out' ? session.value.ended : null;
  return (
    <SignInLayout title={say('signIn.logIn')}>
      {ended !== null && (
        <p class="aside" role="status">
          {say('signIn.wasEnded', { why: say(ended) })}
        </p>
      )}
      <LoginForm returnTo={returnTo} earlierRefusal={signOnFailure(location.hash)} />
      {known !== null && known.sso !== null && (
        <a class="button is-plain is-wide" href={`${known.sso.login_path}?return_to=${encodeURIComponent(returnTo)}`}>
          {known.sso.button_text}
        </a>
      )}
      {known?.mail === true && (
        <p class="aside">
          <a href="/app/forgot-password">{say('signIn.forgotten')}</a>
        </p>
      )}
      {known?.registration === 'open' && (
        <p class="aside">{sayWith('signIn.newHere', { link: <a href="/app/register">{say('signIn.register')}</a> })}</p>
      )}
      {known?.registration === 'invite' && <p class="aside">{say('signIn.needInvitation')}</p>}
    </SignInLayout>
  );
}
