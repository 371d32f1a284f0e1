/** API keys: for programs that act for the user. */
import { useState } from 'preact/hooks';
import type { ApiKey } from '../../client/index.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { attempt } from '../state/notices.js';
import { client, currentUser } from '../state/session.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Loading } from '../ui/Loading.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Secret } from '../ui/form/Secret.js';
import { Section } from '../ui/Section.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { useLoaded } from '../ui/useLoaded.js';
import { say, type PlainKey } from '../words/catalogue.js';
import { DAY_MS } from '../dates/dates.js';

type Scope = ApiKey['scopes'][number];

const SCOPES: ReadonlyArray<readonly [scope: Scope, meaning: PlainKey]> = [
  ['read', 'keys.read'],
  ['write', 'keys.write'],
  ['admin', 'keys.admin'],
];
const MAX_CHARACTERS = 255;

export function Keys() {
  const [keys, read] = useLoaded(() => client.key.list());
  const [made, setMade] = useState<string | null>(null);
  return (
    <Section title={say('keys.title')} lead={say('keys.lead')}>
      {made !== null && (
        <div role="status">
          <p>{say('keys.once')}</p>
          <Secret label={say('keys.theNew')} value={made} />
        </div>
      )}
      <Loading state={keys}>
        {(list) => (
          <ul class="rows">
            {list.map((key) => (
              <KeyRow key={key.id} apiKey={key} onRevoked={() => void read()} />
            ))}
          </ul>
        )}
      </Loading>
      <NewKey
        onMade={(key) => {
          setMade(key);
          void read();
        }}
      />
    </Section>
  );
}

function KeyRow({ apiKey, onRevoked }: { readonly apiKey: ApiKey; readonly onRevoked: () => void }) {
  const { id, name, prefix, scopes, board_ids, expires_at, last_used } = apiKey;
  const facts = [
    `${prefix}…`,
    // The last one includes those before it.
    ...SCOPES.flatMap(([scope, meaning]) => (scopes.includes(scope) ? [say(meaning)] : [])).slice(-1),
    ...(board_ids === null ? [] : [say('keys.boards', { count: board_ids.length })]),
    last_used === null ? say('keys.neverUsed') : say('keys.used', { time: relativeTime(last_used) }),
    ...(expires_at === null ? [] : [say('keys.expires', { time: exactTime(expires_at) })]),
  ];
  return (
    <li class="row-item">
      <div class="row-main">
        <p>
          <bdi>{name}</bdi>
        </p>
        <p class="hint">{facts.join(' · ')}</p>
      </div>
      <Button
        kind="danger"
        aria-label={say('keys.revokeIt', { name })}
        onClick={() => void attempt(say('keys.notRevoked'), () => client.key.revoke({ key_id: id })).then(onRevoked)}
      >
        {say('links.revoke')}
      </Button>
    </li>
  );
}

function NewKey({ onMade }: { readonly onMade: (key: string) => void }) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const days = Number(textOf(form, 'days'));
    const expires_at = days > 0 ? new Date(Date.now() + days * DAY_MS).toISOString() : null;
    const scope = textOf(form, 'scope') as Scope;
    const scopes: readonly Scope[] = scope === 'admin' ? ['read', 'write', 'admin'] : scope === 'write' ? ['read', 'write'] : ['read'];
    const { key } = await client.key.create({ name: textOf(form, 'name').trim(), scopes, expires_at });
    form.reset();
    onMade(key);
  });
  const offered = SCOPES.filter(([scope]) => scope !== 'admin' || currentUser().is_superuser);
  return (
    <form onSubmit={submit} class="sub-form">
      <h3>{say('keys.new')}</h3>
      <Refusal reason={refusal} />
      <Field label={say('keys.name')} name="name" required maxLength={MAX_CHARACTERS} hint={say('keys.nameHint')} />
      <div class="fields">
        <div class="field">
          <label for="key-scope">{say('keys.mayDo')}</label>
          <select id="key-scope" name="scope">
            {offered.map(([scope, meaning]) => (
              <option key={scope} value={scope}>
                {say(meaning)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="key-days">{say('keys.validFor')}</label>
          <select id="key-days" name="days">
            <option value="7">{say('keys.week')}</option>
            <option value="30">{say('keys.days', { count: 30 })}</option>
            <option value="90" selected>
              {say('keys.days', { count: 90 })}
            </option>
            <option value="365">{say('keys.year')}</option>
            <option value="0">{say('keys.ever')}</option>
          </select>
        </div>
      </div>
      <Button type="submit" disabled={isBusy}>
        {say('keys.make')}
      </Button>
    </form>
  );
}
