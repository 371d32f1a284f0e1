/** Links for people without an account: makes them, shows each once, and revokes them. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { InviteLink, NewInviteLink } from '../../client/index.js';
import { addressOf, makeLink, mayMakeLinks, offerToNewcomers, readLinks } from '../state/invitations.js';
import { loadMethods } from '../state/methods.js';
import { attempt } from '../state/notices.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { client } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { CopyButton } from '../ui/form/CopyButton.js';
import { useLoaded } from '../ui/useLoaded.js';

const USES: ReadonlyArray<readonly [uses: number, name: string]> = [
  [1, 'one person'],
  [10, '10 people'],
  [100, '100 people'],
];
const DAYS: ReadonlyArray<readonly [days: number, name: string]> = [
  [1, 'a day'],
  [7, 'a week'],
  [30, '30 days'],
];

export function InvitationLinks({ boardId }: { readonly boardId: string }) {
  const [links, setLinks] = useState<readonly InviteLink[]>([]);
  const [made, setMade] = useState<NewInviteLink | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [maxUses, setMaxUses] = useState(1);
  const [days, setDays] = useState(7);
  const [methods] = useLoaded(loadMethods);
  const read = (): Promise<boolean> => attempt('The invitation links are not shown', async () => setLinks(await readLinks(boardId)));
  useEffect(() => void read(), [boardId]);
  if (methods.kind !== 'ready' || !mayMakeLinks(methods.value)) return null;
  const make = async (): Promise<void> => {
    setBusy(true);
    if (await attempt('No link was made', async () => setMade(await makeLink({ boardId, maxUses, days })))) await read();
    setBusy(false);
  };
  const revoke = async ({ id }: InviteLink): Promise<void> => {
    await attempt('The link was not revoked', () => client.invitation.revoke({ invitation_id: id }));
    if (made?.id === id) setMade(null);
    await read();
  };
  return (
    <section aria-labelledby="panel-links">
      <h3 id="panel-links">Invitation link</h3>
      <p class="hint">
        {offerToNewcomers(methods.value).kind === 'invite' ? 'Also for people who have no account yet.' : 'For people who have an account.'} Whoever
        has the link comes onto this board.
      </p>
      <div class="row is-wrapping">
        <span class="sentence">
          For <Choice label="For how many people" value={maxUses} options={USES} onChange={setMaxUses} />, valid for{' '}
          <Choice label="Valid for" value={days} options={DAYS} onChange={setDays} />
        </span>
        <Button icon="link" disabled={isBusy} onClick={() => void make()}>
          Make a link
        </Button>
      </div>
      {made !== null && <MadeLink link={made} />}
      {links.length > 0 && (
        <ul class="rows" aria-label="Invitation links">
          {links.map((link) => (
            <li key={link.id} class="row-item">
              <p class="row-main">
                {link.max_uses === 1 ? 'For one person' : `${link.uses} of ${link.max_uses} people joined`}{' '}
                <span class="hint">
                  · expires{' '}
                  <time dateTime={link.expires_at} title={exactTime(link.expires_at)}>
                    {relativeTime(link.expires_at)}
                  </time>
                </span>
              </p>
              <Button kind="quiet" onClick={() => void revoke(link)}>
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function MadeLink({ link }: { readonly link: NewInviteLink }) {
  const id = useId();
  const address = addressOf(link);
  return (
    <div class="made-link" role="status">
      <label for={id}>The link is shown only now. Send it to whom it is for.</label>
      <div class="row">
        <input id={id} readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton text={address}>Copy</CopyButton>
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly options: ReadonlyArray<readonly [value: number, name: string]>;
  readonly onChange: (value: number) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select class="in-sentence" aria-label={label} value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}
