import { useSubmit } from '../signIn/useSubmit.js';
import { notify } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Section } from '../ui/Section.js';

export function Password() {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await client.auth.changePassword({ current_password: textOf(form, 'current'), new_password: textOf(form, 'new') });
    form.reset();
    notify('info', 'Your password is changed. All your other sessions have ended.');
  });
  return (
    <Section title="Password" lead="A new password ends your sessions on all other devices.">
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Field label="Current password" name="current" type="password" autocomplete="current-password" required />
        <Field label="New password" name="new" type="password" autocomplete="new-password" required />
        <Button kind="primary" type="submit" disabled={isBusy}>
          Change the password
        </Button>
      </form>
    </Section>
  );
}
