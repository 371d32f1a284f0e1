/** The e-mail address and the username: what names the account at a login. Both need the password. */
import { useState } from 'preact/hooks';
import type { PublicUser } from '../../client/index.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { notify } from '../state/notices.js';
import { client, updateUser } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Section } from '../ui/Section.js';
import { useLoaded } from '../ui/useLoaded.js';

export function LoginNames({ user }: { readonly user: PublicUser }) {
  return (
    <>
      <EmailAddress user={user} />
      <Username user={user} />
    </>
  );
}

function EmailAddress({ user }: { readonly user: PublicUser }) {
  const [pending, setPending] = useState<string | null>(null);
  const [factors] = useLoaded(() => client.auth.factors());
  const asksCode = factors.kind === 'ready' && factors.value.totp.state === 'on';
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const code = textOf(form, 'code').trim();
    const wish = { email: textOf(form, 'email').trim(), current_password: textOf(form, 'password') };
    const { user: changed, is_pending } = await client.auth.changeEmail(code === '' ? wish : { ...wish, code });
    form.reset();
    setPending(is_pending ? wish.email : null);
    if (is_pending) return;
    updateUser(changed);
    notify('info', 'Your e-mail address is changed. All your other sessions have ended.');
  });
  return (
    <Section title="E-mail address" lead="A new address ends your sessions on all other devices.">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        {pending !== null && (
          <p role="status">
            A mail with a link is on its way to <bdi>{pending}</bdi>. When you open it, the address is yours; until then it stays{' '}
            <bdi>{user.email}</bdi>.
          </p>
        )}
        <Field label="New e-mail address" name="email" type="email" autocomplete="email" required />
        <Field label="Password for the new address" name="password" type="password" autocomplete="current-password" required />
        {asksCode && <Field label="Code for the new address" name="code" autocomplete="one-time-code" required isName />}
        <Button type="submit" disabled={isBusy}>
          Change the address
        </Button>
      </form>
    </Section>
  );
}

function Username({ user }: { readonly user: PublicUser }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    updateUser(await client.auth.changeUsername({ username: textOf(form, 'username'), current_password: textOf(form, 'password') }));
    form.reset();
    notify('info', 'Your username is changed.');
  });
  return (
    <Section title="Username" lead="How others find you, and what you can log in with.">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Field key={user.username} label="New username" name="username" autocomplete="username" required isName defaultValue={user.username} />
        <Field label="Password for the new username" name="password" type="password" autocomplete="current-password" required />
        <Button type="submit" disabled={isBusy}>
          Change the username
        </Button>
      </form>
    </Section>
  );
}
