import { useState } from 'preact/hooks';
import { useSubmit } from '../signIn/useSubmit.js';
import { addressOf } from '../state/invitations.js';
import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Loading } from '../ui/Loading.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Secret } from '../ui/form/Secret.js';
import { Section } from '../ui/Section.js';
import { exactTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';

const HOURS_A_DAY = 24;

export function Invitations() {
  const [list, read] = useLoaded(() => client.invitation.list());
  const [link, setLink] = useState<string | null>(null);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const [max_uses, days] = [Number(textOf(form, 'uses')), Number(textOf(form, 'days'))];
    setLink(addressOf(await client.invitation.create({ max_uses, expires_in_hours: days * HOURS_A_DAY })));
    await read();
  });
  return (
    <Section title="Invitations" lead="A link with which somebody can make an account, also where registration is closed to the public.">
      {link !== null && (
        <div role="status">
          <p>This is the link. It is not shown again:</p>
          <Secret label="Link of the invitation" value={link} />
        </div>
      )}
      <Loading state={list}>
        {(invitations) => (
          <ul class="rows">
            {invitations.map(({ id, uses, max_uses, expires_at, board_id }) => (
              <li key={id} class="row-item">
                <div>
                  <p>
                    {uses} of {max_uses} used{board_id !== null && ', onto a board'}
                  </p>
                  <p class="hint">until {exactTime(expires_at)}</p>
                </div>
                <Button kind="danger" onClick={() => void attempt('Not revoked', () => client.invitation.revoke({ invitation_id: id })).then(read)}>
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loading>
      <form onSubmit={submit} class="sub-form">
        <h3>New invitation</h3>
        <Refusal reason={refusal} />
        <div class="fields">
          <Field label="How many people" name="uses" type="number" min={1} required defaultValue="1" />
          <Field label="Valid for days" name="days" type="number" min={1} required defaultValue="7" />
        </div>
        <Button type="submit" disabled={isBusy}>
          Make the link
        </Button>
      </form>
    </Section>
  );
}
