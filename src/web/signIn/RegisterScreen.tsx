import { loadMethods } from '../state/methods.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { SignInLayout } from './SignInLayout.js';
import { RegisterForm } from './RegisterForm.js';

export function RegisterScreen() {
  const [methods] = useLoaded(loadMethods);
  return (
    <SignInLayout title="Register">
      <Loading state={methods}>
        {({ registration }) =>
          registration === 'open' ? (
            <RegisterForm />
          ) : (
            <p>
              {registration === 'invite'
                ? 'You need an invitation: open the link that you were sent.'
                : 'The operator of this service makes the accounts.'}
            </p>
          )
        }
      </Loading>
      <p class="aside">
        Already here? <a href="/app/login">Log in</a>
      </p>
    </SignInLayout>
  );
}
