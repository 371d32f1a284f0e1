/** Name and password, and a code where the account has a second factor. */
import { useState } from 'preact/hooks';
import { logIn, needsCode } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { useSubmit } from './useSubmit.js';
import { say } from '../words/catalogue.js';

interface LoginFormProps {
  /** Where to go then; without it, the screen stays. */
  readonly returnTo?: string;
  /** Why an earlier attempt failed. */
  readonly earlierRefusal?: string | null;
}

export function LoginForm({ returnTo, earlierRefusal = null }: LoginFormProps) {
  const [asksCode, setAsksCode] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const code = textOf(form, 'code').trim();
    try {
      await logIn({ username: textOf(form, 'username'), password: textOf(form, 'password'), ...(code === '' ? {} : { code }) }, returnTo);
    } catch (error) {
      if (!needsCode(error) || asksCode) throw error;
      setAsksCode(true);
    }
  });
  return (
    <form onSubmit={submit}>
      <Refusal reason={refusal ?? earlierRefusal} />
      <Field label={say('signIn.name')} name="username" autocomplete="username" required autoFocus isName />
      <Field label={say('signIn.password')} name="password" type="password" autocomplete="current-password" required />
      {asksCode && (
        <Field label={say('signIn.code')} name="code" autocomplete="one-time-code" required autoFocus isName hint={say('signIn.codeHint')} />
      )}
      <Button kind="primary" type="submit" disabled={isBusy}>
        {say('signIn.logIn')}
      </Button>
    </form>
  );
}
