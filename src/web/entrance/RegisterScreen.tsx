import { client, logIn } from '../state/session.js';
import { Button } from '../ui/Button.js';
import { Field, textOf } from '../ui/Field.js';
import { Refusal } from '../ui/Refusal.js';
import { Entrance } from './Entrance.js';
import { useSubmit } from './useSubmit.js';

export function RegisterScreen() {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const [email, password] = [textOf(form, 'email'), textOf(form, 'password')];
    await client.auth.register({ email, username: textOf(form, 'username'), password });
    await logIn(email, password, '/');
  });
  return (
    <Entrance title="Register">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Field label="E-mail" name="email" type="email" autocomplete="email" required autoFocus />
        <Field label="Username" name="username" autocomplete="username" required isName hint="How others find you." />
        <Field label="Password" name="password" type="password" autocomplete="new-password" required />
        <Button kind="primary" type="submit" disabled={isBusy}>Register</Button>
      </form>
      <p class="aside">Already here? <a href="/app/login">Log in</a></p>
    </Entrance>
  );
}
