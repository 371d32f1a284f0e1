/** What an owner can do for a person without an account here. */
import { useId, useState } from 'preact/hooks';
import { addressOf, isEmail, makeLink, offerToNewcomers } from '../state/invitations.js';
import { loadMethods } from '../state/methods.js';
import type { Role } from '../state/people.js';
import { reasonOf } from '../state/notices.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say, sayWith } from '../words/catalogue.js';

const DAYS = 7;

interface InviteNewcomerProps {
  readonly boardId: string;
  readonly text: string;
  readonly role: Role;
}

export function InviteNewcomer({ boardId, text, role }: InviteNewcomerProps) {
  const [methods] = useLoaded(loadMethods);
  return (
    <div class="empty">
      <p>{sayWith('invite.nobody', { text: <bdi>{text}</bdi> })}</p>
      <Loading state={methods}>
        {(value) => {
          const offer = offerToNewcomers(value);
          switch (offer.kind) {
            case 'invite':
              return isEmail(text) ? (
                <Invite key={text} boardId={boardId} role={role} email={text} hasMail={offer.hasMail} />
              ) : (
                <p class="hint">{say('newcomer.typeEmail')}</p>
              );
            case 'register':
              return (
                <>
                  <p>{say('newcomer.mustRegister')}</p>
                  <CopyButton text={`${location.origin}/app/register`}>{say('newcomer.copyAddress')}</CopyButton>
                </>
              );
            case 'nothing':
              return <p class="hint">{say('newcomer.askOperator')}</p>;
          }
        }}
      </Loading>
    </div>
  );
}

type Made =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'making' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'mailed' }
  | { readonly kind: 'link'; readonly address: string };

interface InviteProps {
  readonly boardId: string;
  readonly role: Role;
  readonly email: string;
  readonly hasMail: boolean;
}

function Invite({ boardId, role, email, hasMail }: InviteProps) {
  const id = useId();
  const [made, setMade] = useState<Made>({ kind: 'nothing' });
  const make = async (how: 'mail' | 'link'): Promise<void> => {
    setMade({ kind: 'making' });
    try {
      const link = await makeLink({ boardId, role, maxUses: 1, days: DAYS, ...(how === 'mail' ? { email } : {}) });
      setMade(how === 'mail' ? { kind: 'mailed' } : { kind: 'link', address: addressOf(link) });
    } catch (error) {
      setMade({ kind: 'refused', reason: reasonOf(error) });
    }
  };
  if (made.kind === 'mailed') {
    return <p>{sayWith('newcomer.mailed', { email: <bdi>{email}</bdi> })}</p>;
  }
  if (made.kind === 'link') {
    return (
      <div class="made-link">
        <label for={id}>{say('newcomer.shownOnce')}</label>
        <div class="row">
          <input id={id} readOnly value={made.address} onFocusIn={(event) => event.currentTarget.select()} />
          <CopyButton text={made.address}>{say('common.copy')}</CopyButton>
        </div>
      </div>
    );
  }
  const isBusy = made.kind === 'making';
  return (
    <>
      <p>{say('newcomer.lead')}</p>
      {made.kind === 'refused' && <p class="refusal">{made.reason}</p>}
      <div class="row is-wrapping">
        {hasMail && (
          <Button kind="primary" disabled={isBusy} onClick={() => void make('mail')}>
            {say('newcomer.send')}
          </Button>
        )}
        <Button icon="link" disabled={isBusy} onClick={() => void make('link')}>
          {say('newcomer.makeLink')}
        </Button>
      </div>
    </>
  );
}
