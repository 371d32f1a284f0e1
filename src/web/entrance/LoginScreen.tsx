import { logIn } from '../state/session.js';
import { Button } from '../ui/Button.js';
import { Field, textOf } from '../ui/Field.js';
import { Refusal } from '../ui/Refusal.js';
import { Entrance } from './Entrance.js';
import { useSubmit } from './useSubmit.js';

export function LoginScreen({ returnTo }: { readonly returnTo: string }) {
  const { isBusy, refusal, submit } = useSubmit((form) => logIn(textOf(form, 'username'), textOf(form, 'password'), returnTo));
  return (
    <Entrance title="Log in">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Field label="E-mail or username" name="username" autocomplete="username" required autoFocus isName />
        <Field label="Password" name="password" type="password" autocomplete="current-password" required />
        <Button kind="primary" type="submit" disabled={isBusy}>Log in</Button>
      </form>
      <p class="aside">New here? <a href="/app/register">Register</a></p>
    </Entrance>
  );
}
