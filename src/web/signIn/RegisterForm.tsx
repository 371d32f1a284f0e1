import type { ComponentChildren } from 'preact';
import { client, logIn } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { useSubmit } from './useSubmit.js';
import { say } from '../words/catalogue.js';

interface NewAccount {
  readonly email: string;
  readonly username: string;
  readonly password: string;
}

interface AccountFormProps {
  /** What the button says. */
  readonly action: string;
  readonly create: (account: NewAccount, form: HTMLFormElement) => Promise<void>;
  /** Where the new user goes then. */
  readonly returnTo?: string;
  /** Fields that come first. */
  readonly children?: ComponentChildren;
}

/** Makes an account, and logs its user in. */
export function AccountForm({ action, create, returnTo = '/', children }: AccountFormProps) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const [email, password] = [textOf(form, 'email'), textOf(form, 'password')];
    await create({ email, username: textOf(form, 'username'), password }, form);
    await logIn({ username: email, password }, returnTo);
  });
  return (
    <form onSubmit={submit}>
      <Refusal reason={refusal} />
      {children}
      <Field
        label={say('signIn.email')}
        name="email"
        type="email"
        autocomplete="email"
        required
        autoFocus={children === undefined || children === false}
      />
      <Field label={say('signIn.username')} name="username" autocomplete="username" required isName hint={say('signIn.usernameHint')} />
      <Field label={say('signIn.password')} name="password" type="password" autocomplete="new-password" required />
      <Button kind="primary" type="submit" disabled={isBusy}>
        {action}
      </Button>
    </form>
  );
}

interface RegisterFormProps {
  /** An invitation: its token, and where it leads. */
  readonly invitation?: { readonly token: string; readonly returnTo: string };
}

export function RegisterForm({ invitation }: RegisterFormProps) {
  return (
    <AccountForm
      action={say('signIn.register')}
      returnTo={invitation?.returnTo ?? '/'}
      create={async (account) => {
        await client.auth.register(invitation === undefined ? account : { ...account, invitation: invitation.token });
      }}
    />
  );
}
