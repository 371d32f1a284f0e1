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

const MAX_CHARACTERS = 255;

export function Profile({ user }: { readonly user: PublicUser }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const given = (name: string): string | null => textOf(form, name).trim() || null;
    updateUser(await client.auth.updateMe({ firstname: given('firstname'), lastname: given('lastname') }));
    notify('info', 'Your name is saved.');
  });
  return (
    <Section title="Name" lead="How you appear to the other members of your boards.">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <div class="fields">
          <Field label="First name" name="firstname" autocomplete="given-name" maxLength={MAX_CHARACTERS} defaultValue={user.firstname ?? ''} />
          <Field label="Last name" name="lastname" autocomplete="family-name" maxLength={MAX_CHARACTERS} defaultValue={user.lastname ?? ''} />
        </div>
        <Button kind="primary" type="submit" disabled={isBusy}>
          Save
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
        <p role="status">A mail with a link is on its way.</p>
      ) : (
        <p class="row">
          <span class="hint">Your e-mail address is not confirmed.</span>
          <Button kind="quiet" type="submit" disabled={isBusy}>
            Send me a link
          </Button>
        </p>
      )}
    </form>
  );
}
