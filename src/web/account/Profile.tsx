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
import { say } from '../words/catalogue.js';

const MAX_CHARACTERS = 255;

export function Profile({ user }: { readonly user: PublicUser }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const given = (name: string): string | null => textOf(form, name).trim() || null;
    updateUser(await client.auth.updateMe({ firstname: given('firstname'), lastname: given('lastname') }));
    notify('info', say('profile.saved'));
  });
  return (
    <Section title={say('profile.title')} lead={say('profile.lead')}>
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <div class="fields">
          <Field
            label={say('profile.first')}
            name="firstname"
            autocomplete="given-name"
            maxLength={MAX_CHARACTERS}
            defaultValue={user.firstname ?? ''}
          />
          <Field
            label={say('profile.last')}
            name="lastname"
            autocomplete="family-name"
            maxLength={MAX_CHARACTERS}
            defaultValue={user.lastname ?? ''}
          />
        </div>
        <Button kind="primary" type="submit" disabled={isBusy}>
          {say('common.save')}
        </Button>
      </form>
      {!user.is_verified && <Verification />}
    </Section>
  );
}

/** Only where the service sends mail. */
function Verification() {
  const [methods] = useLoaded(() => client.auth.methods());
  const [isSent, setSent] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async () => {
    await client.auth.requestVerification();
    setSent(true);
  });
  if (methods.kind !== 'ready' || !methods.value.mail) return null;
  return (
    <form onSubmit={submit}>
      <Refusal reason={refusal} />
      {isSent ? (
        <p role="status">{say('profile.mailSent')}</p>
      ) : (
        <p class="row">
          <span class="hint">{say('profile.notConfirmed')}</span>
          <Button kind="quiet" type="submit" disabled={isBusy}>
            {say('profile.sendLink')}
          </Button>
        </p>
      )}
    </form>
  );
}
