/** Where the link of an invitation leads: to a new account, or with an account straight onto the board. */
import { useMemo, useState } from 'preact/hooks';
import { loadMethods } from '../state/methods.js';
import { boardPath, navigate } from '../state/route.js';
import { client, session } from '../state/session.js';
import { useLoaded } from '../ui/useLoaded.js';
import { Button } from '../ui/form/Button.js';
import { Refusal } from '../ui/form/Refusal.js';
import { SignInLayout } from './SignInLayout.js';
import { LoginForm } from './LoginForm.js';
import { takeLinkToken } from './linkToken.js';
import { RegisterForm } from './RegisterForm.js';
import { useSubmit } from './useSubmit.js';

export function InvitationScreen() {
  const token = useMemo(takeLinkToken, []);
  const [hasAccount, setHasAccount] = useState(false);
  const [methods] = useLoaded(loadMethods);
  if (token === null) {
    return (
      <SignInLayout title="Invitation">
        <p>The link is not complete. Open it again as you received it.</p>
      </SignInLayout>
    );
  }
  if (session.value.kind === 'in') return <Accept token={token} />;
  return (
    <SignInLayout title="You are invited">
      {hasAccount ? <LoginForm /> : <RegisterForm invitation={{ token, returnTo: '/' }} />}
      {methods.kind === 'ready' && methods.value.sso !== null && (
        <a
          class="button is-plain is-wide"
          href={`${methods.value.sso.login_path}?${new URLSearchParams({ return_to: '/', invitation: token }).toString()}`}
        >
          {methods.value.sso.button_text}
        </a>
      )}
      <p class="aside">
        <Button kind="quiet" onClick={() => setHasAccount(!hasAccount)}>
          {hasAccount ? 'I have no account yet' : 'I have an account already'}
        </Button>
      </p>
    </SignInLayout>
  );
}

function Accept({ token }: { readonly token: string }) {
  const { isBusy, refusal, submit } = useSubmit(async () => {
    navigate(boardPath((await client.invitation.accept({ token })).board_id), 'replace');
  });
  return (
    <SignInLayout title="You are invited">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Button kind="primary" type="submit" disabled={isBusy}>
          Join the board
        </Button>
      </form>
      <p class="aside">
        <a href="/">All boards</a>
      </p>
    </SignInLayout>
  );
}
