import { client, logIn } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { useSubmit } from './useSubmit.js';

interface RegisterFormProps {
  /** The token of an invitation. */
  readonly invitation?: string;
}

export function RegisterForm({ invitation }: RegisterFormProps) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const [email, password] = [textOf(form, 'email'), textOf(form, 'password')];
    const account = { email, username: textOf(form, 'username'), password };
    await client.auth.register(invitation === undefined ? account : { ...account, invitation });
    await logIn({ username: email, password }, '/');
  });
  return (
    <form onSubmit={submit}>
      <Refusal reason={refusal} />
      <Field label="E-mail" name="email" type="email" autocomplete="email" required autoFocus />
      <Field label="Username" name="username" autocomplete="username" required isName hint="How others find you." />
      <Field label="Password" name="password" type="password" autocomplete="new-password" required />
      <Button kind="primary" type="submit" disabled={isBusy}>
        Register
      </Button>
    </form>
  );
}
