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
import { say, sayWith } from '../words/catalogue.js';

export function ForgotPasswordScreen() {
  const [isSent, setSent] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await client.auth.forgotPassword({ email: textOf(form, 'email') });
    setSent(true);
  });
  return (
    <SignInLayout title={say('signIn.forgotten')}>
      {isSent ? (
        <p role="status">{say('mail.maybeSent')}</p>
      ) : (
        <form onSubmit={submit}>
          <Refusal reason={refusal} />
          <Field label={say('signIn.email')} name="email" type="email" autocomplete="email" required autoFocus />
          <Button kind="primary" type="submit" disabled={isBusy}>
            {say('profile.sendLink')}
          </Button>
        </form>
      )}
      <p class="aside">
        <a class="lone-link" href="/app/login">
          {say('mail.backToLogin')}
        </a>
      </p>
    </SignInLayout>
  );
}

export function ResetPasswordScreen() {
  const token = useMemo(takeLinkToken, []);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await client.auth.resetPassword({ token: token ?? '', password: textOf(form, 'password') });
    notify('info', say('mail.changed'));
    navigate('/app/login');
  });
  return (
    <SignInLayout title={say('password.new')}>
      <form onSubmit={submit}>
        <Refusal reason={token === null ? say('signIn.linkIncomplete') : refusal} />
        <Field label={say('password.new')} name="password" type="password" autocomplete="new-password" required autoFocus />
        <Button kind="primary" type="submit" disabled={isBusy || token === null}>
          {say('password.change')}
        </Button>
      </form>
    </SignInLayout>
  );
}

/**
 * A click is needed: programs that look into mails open links too. So is a login: the account may be another person's, who
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
      <SignInLayout title={say('mail.confirmAddress')}>
        <p>{say('mail.confirmLogIn')}</p>
        <LoginForm />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title={say('mail.confirmAddress')}>
      {isDone ? (
        <p role="status">{sayWith('mail.confirmed', { link: <a href="/">{say('mail.toBoards')}</a> })}</p>
      ) : (
        <form onSubmit={submit}>
          <Refusal reason={token === null ? say('signIn.linkIncomplete') : refusal} />
          <Button kind="primary" type="submit" disabled={isBusy || token === null}>
            {say('mail.confirm')}
          </Button>
        </form>
      )}
    </SignInLayout>
  );
}
