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
import type { Role } from '../state/people.js';
import { RoleChoice, RoleName } from '../ui/form/RoleChoice.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say, sayWith } from '../words/catalogue.js';

const USES: readonly number[] = [1, 10, 100];
const DAYS: readonly number[] = [1, 7, 30];

export function InvitationLinks({ boardId }: { readonly boardId: string }) {
  const [links, setLinks] = useState<readonly InviteLink[]>([]);
  const [made, setMade] = useState<NewInviteLink | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [maxUses, setMaxUses] = useState(1);
  const [days, setDays] = useState(7);
  const [role, setRole] = useState<Role>('member');
  const [methods] = useLoaded(loadMethods);
  const read = (): Promise<boolean> => attempt(say('links.notShown'), async () => setLinks(await readLinks(boardId)));
  useEffect(() => void read(), [boardId]);
  if (methods.kind !== 'ready' || !mayMakeLinks(methods.value)) return null;
  const make = async (): Promise<void> => {
    setBusy(true);
    if (await attempt(say('links.notMade'), async () => setMade(await makeLink({ boardId, role, maxUses, days })))) await read();
    setBusy(false);
  };
  const revoke = async ({ id }: InviteLink): Promise<void> => {
    await attempt(say('links.notRevoked'), () => client.invitation.revoke({ invitation_id: id }));
    if (made?.id === id) setMade(null);
    await read();
  };
  return (
    <section aria-labelledby="panel-links">
      <h3 id="panel-links">{say('links.title')}</h3>
      <p class="hint">{offerToNewcomers(methods.value).kind === 'invite' ? say('links.alsoNewcomers') : say('links.onlyAccounts')}</p>
      <div class="row is-wrapping">
        <span class="sentence">
          {sayWith('links.sentence', {
            people: (
              <Choice
                label={say('links.howMany')}
                value={maxUses}
                options={USES}
                name={(count) => say('links.people', { count })}
                onChange={setMaxUses}
              />
            ),
            role: (
              <RoleChoice
                class="in-sentence"
                label={say('invite.role')}
                value={role}
                onChange={(next) => {
                  setRole(next);
                  return true;
                }}
              />
            ),
            days: (
              <Choice label={say('links.validFor')} value={days} options={DAYS} name={(count) => say('links.days', { count })} onChange={setDays} />
            ),
          })}
        </span>
        <Button icon="link" disabled={isBusy} onClick={() => void make()}>
          {say('links.make')}
        </Button>
      </div>
      {made !== null && <MadeLink link={made} />}
      {links.length > 0 && (
        <ul class="rows" aria-label={say('links.list')}>
          {links.map((link) => (
            <li key={link.id} class="row-item">
              <p class="row-main">
                {link.role !== null && (
                  <>
                    <RoleName role={link.role} />{' '}
                  </>
                )}
                {link.max_uses === 1 ? say('links.forOne') : say('links.joined', { uses: link.uses, max: link.max_uses })}{' '}
                <span class="hint">
                  {sayWith('links.expires', {
                    time: (
                      <time dateTime={link.expires_at} title={exactTime(link.expires_at)}>
                        {relativeTime(link.expires_at)}
                      </time>
                    ),
                  })}
                </span>
              </p>
              <Button kind="quiet" onClick={() => void revoke(link)}>
                {say('links.revoke')}
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
      <label for={id}>{say('links.shownOnce')}</label>
      <div class="row">
        <input id={id} readOnly value={address} onFocusIn={(event) => event.currentTarget.select()} />
        <CopyButton text={address}>{say('common.copy')}</CopyButton>
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly options: readonly number[];
  readonly name: (option: number) => string;
  readonly onChange: (value: number) => void;
}

function Choice({ label, value, options, name, onChange }: ChoiceProps) {
  return (
    <select class="in-sentence" aria-label={label} value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
      {options.map((option) => (
        <option key={option} value={option}>
          {name(option)}
        </option>
      ))}
    </select>
  );
}
