import { useSubmit } from '../signIn/useSubmit.js';
import { notify } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Section } from '../ui/Section.js';
import { say } from '../words/catalogue.js';

export function Password() {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await client.auth.changePassword({ current_password: textOf(form, 'current'), new_password: textOf(form, 'new') });
    form.reset();
    notify('info', say('password.changed'));
  });
  return (
    <Section title={say('password.title')} lead={say('password.lead')}>
      <form onSubmit={submit}>
        <Refusal reason={refusal} />
        <Field label={say('password.current')} name="current" type="password" autocomplete="current-password" required />
        <Field label={say('password.new')} name="new" type="password" autocomplete="new-password" required />
        <Button kind="primary" type="submit" disabled={isBusy}>
          {say('password.change')}
        </Button>
      </form>
    </Section>
  );
}
