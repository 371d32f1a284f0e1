/** The webhooks of a board, or over all boards, and the form for a new one. */
import { useRef, useState } from 'preact/hooks';
import type { Webhook } from '../../client/index.js';
import { useSubmit } from '../signIn/useSubmit.js';
import { announce, reasonOf } from '../state/notices.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { Secret } from '../ui/form/Secret.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded, type Loaded } from '../ui/useLoaded.js';
import { kindsOf, WebhookKinds } from './WebhookKinds.js';
import { WebhookRow } from './WebhookRow.js';
import { MAX_URL_CHARACTERS, type WebhookCalls } from './webhookCalls.js';
import { say, type PlainKey } from '../words/catalogue.js';

const FORMATS: ReadonlyArray<readonly [format: Webhook['format'], name: PlainKey]> = [
  ['standard', 'hook.standard'],
  ['slack', 'hook.slack'],
  ['ntfy', 'hook.ntfy'],
];

/** A secret that was shown is not shown again. */
interface Shown {
  readonly id: string;
  readonly secret: string;
}

interface WebhookListProps {
  readonly calls: WebhookCalls;
  /** What they are for. */
  readonly lead: string;
}

export function WebhookList({ calls, lead }: WebhookListProps) {
  const [state, read] = useLoaded(() => calls.list(), calls.key);
  const [shown, setShown] = useState<Shown | null>(null);
  // A reading that fails takes no form away: an address may be typed there.
  const last = useRef<Loaded<readonly Webhook[]>>(state);
  if (state.kind === 'ready') last.current = state;
  const isKept = state.kind === 'failed' && last.current.kind === 'ready';
  return (
    <Loading state={isKept ? last.current : state}>
      {(webhooks) => (
        <>
          <Refusal reason={isKept ? reasonOf(state.error) : null} />
          <section aria-labelledby="panel-webhooks">
            <h3 id="panel-webhooks">{say('hook.count', { count: webhooks.length })}</h3>
            <p class="hint">{lead}</p>
            {shown !== null && (
              <div role="status">
                <p>{say('hook.once')}</p>
                <Secret label={say('hook.secret')} value={shown.secret} />
              </div>
            )}
            <ul class="rows">
              {webhooks.map((webhook) => (
                <WebhookRow
                  key={webhook.id}
                  calls={calls}
                  webhook={webhook}
                  onSecret={(secret) => setShown({ id: webhook.id, secret })}
                  onChanged={() => void read()}
                />
              ))}
            </ul>
          </section>
          <NewWebhook
            calls={calls}
            onMade={(id, secret, format) => {
              // Only what programs get is signed.
              setShown(format === 'standard' ? { id, secret } : null);
              announce(say('hook.added'));
              void read();
            }}
          />
        </>
      )}
    </Loading>
  );
}

interface NewWebhookProps {
  readonly calls: WebhookCalls;
  readonly onMade: (id: string, secret: string, format: Webhook['format']) => void;
}

function NewWebhook({ calls, onMade }: NewWebhookProps) {
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    const format = textOf(form, 'format') as Webhook['format'];
    const { id, secret } = await calls.create({
      url: textOf(form, 'url').trim(),
      format,
      event_types: kindsOf(textOf(form, 'kinds')),
    });
    form.reset();
    onMade(id, secret, format);
  });
  return (
    <form onSubmit={submit} class="sub-form" data-unkept aria-labelledby="panel-new-webhook">
      <h3 id="panel-new-webhook">{say('hook.new')}</h3>
      <Refusal reason={refusal} />
      <Field label={say('hook.url')} name="url" required isName maxLength={MAX_URL_CHARACTERS} hint={say('hook.urlHint')} />
      <div class="field">
        <label for="webhook-format">{say('hook.format')}</label>
        <select id="webhook-format" name="format">
          {FORMATS.map(([format, name]) => (
            <option key={format} value={format}>
              {say(name)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="webhook-kinds">{say('hook.events')}</label>
        <WebhookKinds id="webhook-kinds" kinds={null} />
      </div>
      <Button type="submit" kind="primary" disabled={isBusy}>
        {say('hook.add')}
      </Button>
    </form>
  );
}
