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
import { say, sayWith } from '../words/catalogue.js';

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
    notify('info', say('email.changed'));
  });
  return (
    <Section title={say('email.title')} lead={say('email.lead')}>
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        {pending !== null && <p role="status">{sayWith('email.pending', { address: <bdi>{pending}</bdi>, old: <bdi>{user.email}</bdi> })}</p>}
        <Field label={say('email.new')} name="email" type="email" autocomplete="email" required />
        <Field label={say('email.password')} name="password" type="password" autocomplete="current-password" required />
        {asksCode && <Field label={say('email.code')} name="code" autocomplete="one-time-code" required isName />}
        <Button type="submit" disabled={isBusy}>
          {say('email.change')}
        </Button>
      </form>
    </Section>
  );
}

function Username({ user }: { readonly user: PublicUser }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    updateUser(await client.auth.changeUsername({ username: textOf(form, 'username'), current_password: textOf(form, 'password') }));
    form.reset();
    notify('info', say('username.changed'));
  });
  return (
    <Section title={say('username.title')} lead={say('username.lead')}>
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Field key={user.username} label={say('username.new')} name="username" autocomplete="username" required isName defaultValue={user.username} />
        <Field label={say('username.password')} name="password" type="password" autocomplete="current-password" required />
        <Button type="submit" disabled={isBusy}>
          {say('username.change')}
        </Button>
      </form>
    </Section>
  );
}
