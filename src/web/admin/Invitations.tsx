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
import { say } from '../words/catalogue.js';

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
    <Section title={say('invitations.title')} lead={say('invitations.lead')}>
      {link !== null && (
        <div role="status">
          <p>{say('invitations.once')}</p>
          <Secret label={say('invitations.link')} value={link} />
        </div>
      )}
      <Loading state={list}>
        {(invitations) => (
          <ul class="rows">
            {invitations.map(({ id, uses, max_uses, expires_at, board_id }) => (
              <li key={id} class="row-item">
                <div class="row-main">
                  <p>{say(board_id === null ? 'invitations.used' : 'invitations.usedOntoBoard', { uses, max: max_uses })}</p>
                  <p class="hint">{say('invitations.until', { time: exactTime(expires_at) })}</p>
                </div>
                <Button
                  kind="danger"
                  onClick={() => void attempt(say('invitations.notRevoked'), () => client.invitation.revoke({ invitation_id: id })).then(read)}
                >
                  {say('links.revoke')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loading>
      <form onSubmit={submit} class="sub-form">
        <h3>{say('invitations.new')}</h3>
        <Refusal reason={refusal} />
        <div class="fields">
          <Field label={say('invitations.howMany')} name="uses" type="number" min={1} required defaultValue="1" />
          <Field label={say('invitations.days')} name="days" type="number" min={1} required defaultValue="7" />
        </div>
        <Button type="submit" disabled={isBusy}>
          {say('invitations.make')}
        </Button>
      </form>
    </Section>
  );
}
