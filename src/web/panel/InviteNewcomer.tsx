/** What an owner can do for somebody who has no account here. */
import { useId, useState } from 'preact/hooks';
import { addressOf, isEmail, makeLink, offerToNewcomers } from '../state/invitations.js';
import { loadMethods } from '../state/methods.js';
import { reasonOf } from '../state/notices.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';

const DAYS = 7;

export function InviteNewcomer({ boardId, text }: { readonly boardId: string; readonly text: string }) {
  const [methods] = useLoaded(loadMethods);
  return (
    <div class="empty">
      <p>
        Nobody here is called “<bdi>{text}</bdi>”. Is the name complete?
      </p>
      <Loading state={methods}>
        {(value) => {
          const offer = offerToNewcomers(value);
          switch (offer.kind) {
            case 'invite':
              return isEmail(text) ? (
                <Invite key={text} boardId={boardId} email={text} hasMail={offer.hasMail} />
              ) : (
                <p class="hint">Type the e-mail address of somebody who has no account yet, to invite them.</p>
              );
            case 'register':
              return (
                <>
                  <p>New people have to register first: send them the address.</p>
                  <CopyButton text={`${location.origin}/app/register`}>Copy the address</CopyButton>
                </>
              );
            case 'nothing':
              return <p class="hint">The operator of this service makes the accounts: ask there for one, then invite the person here.</p>;
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
  readonly email: string;
  readonly hasMail: boolean;
}

function Invite({ boardId, email, hasMail }: InviteProps) {
  const id = useId();
  const [made, setMade] = useState<Made>({ kind: 'nothing' });
  const make = async (how: 'mail' | 'link'): Promise<void> => {
    setMade({ kind: 'making' });
    try {
      const link = await makeLink({ boardId, maxUses: 1, days: DAYS, ...(how === 'mail' ? { email } : {}) });
      setMade(how === 'mail' ? { kind: 'mailed' } : { kind: 'link', address: addressOf(link) });
    } catch (error) {
      setMade({ kind: 'refused', reason: reasonOf(error) });
    }
  };
  if (made.kind === 'mailed') {
    return (
      <p>
        An invitation to this board is on its way to <bdi>{email}</bdi>. It is valid for a week.
      </p>
    );
  }
  if (made.kind === 'link') {
    return (
      <div class="made-link">
        <label for={id}>The link is shown only now. It brings one person to an account and onto this board, within a week.</label>
        <div class="row">
          <input id={id} readOnly value={made.address} onFocus={(event) => event.currentTarget.select()} />
          <CopyButton text={made.address}>Copy</CopyButton>
        </div>
      </div>
    );
  }
  const isBusy = made.kind === 'making';
  return (
    <>
      <p>You can invite them to this board: with the invitation they make an account.</p>
      {made.kind === 'refused' && <p class="refusal">{made.reason}</p>}
      <div class="row is-wrapping">
        {hasMail && (
          <Button kind="primary" disabled={isBusy} onClick={() => void make('mail')}>
            Send an invitation
          </Button>
        )}
        <Button icon="link" disabled={isBusy} onClick={() => void make('link')}>
          Make a link to copy
        </Button>
      </div>
    </>
  );
}
