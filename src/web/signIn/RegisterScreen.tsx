import { loadMethods } from '../state/methods.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { SignInLayout } from './SignInLayout.js';
import { RegisterForm } from './RegisterForm.js';
import { say, sayWith } from '../words/catalogue.js';

export function RegisterScreen() {
  const [methods] = useLoaded(loadMethods);
  return (
    <SignInLayout title={say('signIn.register')}>
      <Loading state={methods}>
        {({ registration }) =>
          registration === 'open' ? <RegisterForm /> : <p>{registration === 'invite' ? say('signIn.openInvitation') : say('signIn.closed')}</p>
        }
      </Loading>
      <p class="aside">{sayWith('signIn.alreadyHere', { link: <a href="/app/login">{say('signIn.logIn')}</a> })}</p>
    </SignInLayout>
  );
}
