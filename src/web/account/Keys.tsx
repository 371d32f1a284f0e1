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

type Scope = ApiKey['scopes'][number];

const SCOPES: ReadonlyArray<readonly [scope: Scope, meaning: string]> = [
  ['read', 'Read'],
  ['write', 'Read and change'],
  ['admin', 'Administration'],
];
const MAX_CHARACTERS = 255;
const DAY_MS = 86_400_000;

export function Keys() {
  const [keys, read] = useLoaded(() => client.key.list());
  const [made, setMade] = useState<string | null>(null);
  return (
    <Section title="API keys" lead="A key lets a program act for you, without your password.">
      {made !== null && (
        <div role="status">
          <p>This is the key. It is not shown again:</p>
          <Secret label="The new key" value={made} />
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
    scopes.join(', '),
    ...(board_ids === null ? [] : [board_ids.length === 1 ? 'one board' : `${board_ids.length} boards`]),
    last_used === null ? 'never used' : `used ${relativeTime(last_used)}`,
    ...(expires_at === null ? [] : [`expires ${exactTime(expires_at)}`]),
  ];
  return (
    <li class="row-item">
      <div>
        <p dir="auto">{name}</p>
        <p class="hint">{facts.join(' · ')}</p>
      </div>
      <Button
        kind="danger"
        aria-label={`Revoke the key ${name}`}
        onClick={() => void attempt('The key was not revoked', () => client.key.revoke({ key_id: id })).then(onRevoked)}
      >
        Revoke
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
      <h3>New key</h3>
      <Refusal reason={refusal} />
      <Field label="Name" name="name" required maxLength={MAX_CHARACTERS} hint="What it is for, such as “backup script”." />
      <div class="fields">
        <div class="field">
          <label for="key-scope">It may</label>
          <select id="key-scope" name="scope">
            {offered.map(([scope, meaning]) => (
              <option key={scope} value={scope}>
                {meaning}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="key-days">Valid for</label>
          <select id="key-days" name="days" defaultValue="90">
            <option value="7">a week</option>
            <option value="30">30 days</option>
            <option value="90">90 days</option>
            <option value="365">a year</option>
            <option value="0">ever</option>
          </select>
        </div>
      </div>
      <Button type="submit" disabled={isBusy}>
        Make the key
      </Button>
    </form>
  );
}
