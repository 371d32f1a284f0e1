/** The screens that links in mails lead to. */
import { useMemo, useState } from 'preact/hooks';
import { notify } from '../state/notices.js';
import { navigate } from '../state/route.js';
import { client, session, updateUser } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { SignInLayout } from './SignInLayout.js';
import { LoginForm } from './LoginForm.js';
import { takeLinkToken } from './linkToken.js';
import { useSubmit } from './useSubmit.js';

export function ForgotPasswordScreen() {
  const [isSent, setSent] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await client.auth.forgotPassword({ email: textOf(form, 'email') });
    setSent(true);
  });
  return (
    <SignInLayout title="Forgotten your password?">
      {isSent ? (
        <p role="status">If there is an account with this address, a mail with a link is on its way.</p>
      ) : (
        <form onSubmit={submit}>
          <Refusal reason={refusal} />
          <Field label="E-mail" name="email" type="email" autocomplete="email" required autoFocus />
          <Button kind="primary" type="submit" disabled={isBusy}>
            Send me a link
          </Button>
        </form>
      )}
      <p class="aside">
        <a href="/app/login">Back to the login</a>
      </p>
    </SignInLayout>
  );
}

export function ResetPasswordScreen() {
  const token = useMemo(takeLinkToken, []);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await client.auth.resetPassword({ token: token ?? '', password: textOf(form, 'password') });
    notify('info', 'Your password is changed. Log in with it.');
    navigate('/app/login');
  });
  return (
    <SignInLayout title="New password">
      <form onSubmit={submit}>
        <Refusal reason={token === null ? 'The link is not complete. Open it again as you received it.' : refusal} />
        <Field label="New password" name="password" type="password" autocomplete="new-password" required autoFocus />
        <Button kind="primary" type="submit" disabled={isBusy || token === null}>
          Change the password
        </Button>
      </form>
    </SignInLayout>
  );
}

/**
 * A click is needed: programs that look into mails open links too. So is a login: the account may be somebody else's, who
 * registered with this address.
 */
export function VerifyEmailScreen() {
  const token = useMemo(takeLinkToken, []);
  const { value } = session;
  const [isDone, setDone] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    updateUser(await client.auth.verifyEmail({ token: token ?? '' }));
    setDone(true);
  });
  if (token !== null && value.kind !== 'in') {
    return (
      <SignInLayout title="Confirm your address">
        <p>Log in to the account that you want to confirm. If you made none, ignore the mail.</p>
        <LoginForm />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title="Confirm your address">
      {isDone ? (
        <p role="status">
          Thank you, your address is confirmed. <a href="/">Go to the boards</a>
        </p>
      ) : (
        <form onSubmit={submit}>
          <Refusal reason={token === null ? 'The link is not complete. Open it again as you received it.' : refusal} />
          <Button kind="primary" type="submit" disabled={isBusy || token === null}>
            Confirm
          </Button>
        </form>
      )}
    </SignInLayout>
  );
}
