import { useState } from 'preact/hooks';
import type { Webhook, WebhookDelivery } from '../../client/index.js';
import { attempt, notify } from '../state/notices.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { ConfirmDialog } from '../ui/Dialog.js';
import { Button, IconButton } from '../ui/form/Button.js';
import { SentText } from '../ui/form/SentText.js';
import { Loading } from '../ui/Loading.js';
import { useLoaded } from '../ui/useLoaded.js';
import { ReplayForm } from './ReplayForm.js';
import { MAX_URL_CHARACTERS, type WebhookCalls, type WebhookChange } from './webhookCalls.js';
import { WebhookKinds } from './WebhookKinds.js';
import { say, sayWith } from '../words/catalogue.js';

interface WebhookRowProps {
  readonly calls: WebhookCalls;
  readonly webhook: Webhook;
  readonly onSecret: (secret: string) => void;
  /** Read the webhooks again: they have no events. */
  readonly onChanged: () => void;
}

export function WebhookRow({ calls, webhook, onSecret, onChanged }: WebhookRowProps) {
  const [isAsking, setAsking] = useState(false);
  const { id } = webhook;
  const name = hostOf(webhook.url);
  const send = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await attempt(what, work);
    onChanged();
  };
  const update = (fields: WebhookChange): void => void send(say('hook.notChanged'), () => calls.update(id, fields));
  const test = async (): Promise<void> => {
    const { status, error } = await calls.test(id);
    if (status === null) notify('failure', say('hook.testFailed', { reason: error ?? '' }));
    else notify(status < 300 ? 'info' : 'failure', say('hook.tested', { status }));
  };
  const rotate = async (): Promise<void> => onSecret((await calls.rotate(id)).secret);
  return (
    <li class={`row-item is-rule${webhook.is_enabled ? '' : ' is-off'}`}>
      <div class="row-main">
        <SentText
          value={webhook.url}
          label={say('hook.edit', { name })}
          fieldLabel={say('hook.url')}
          failure={say('hook.notChanged')}
          isName
          maxLength={MAX_URL_CHARACTERS}
          onSave={async (url) => {
            await calls.update(id, { url });
            onChanged();
          }}
        />
      </div>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          aria-label={say('hook.isOn', { name })}
          checked={webhook.is_enabled}
          onChange={(event) => update({ is_enabled: event.currentTarget.checked })}
        />
        <span aria-hidden="true">{webhook.is_enabled ? say('rule.on') : say('rule.off')}</span>
      </label>
      <IconButton icon="trash" label={say('hook.delete', { name })} onClick={() => setAsking(true)} />
      <div class="row-note">
        <p class={webhook.state === 'active' ? 'hint' : 'warning'}>{stateOf(webhook)}</p>
        <div class="row is-wrapping">
          <WebhookKinds label={say('hook.eventsTo', { name })} kinds={webhook.event_types} onChange={(event_types) => update({ event_types })} />
          <Button kind="quiet" onClick={() => void send(say('hook.notChanged'), test)}>
            {say('hook.test')}
          </Button>
          {webhook.paused_because !== null && (
            <Button kind="quiet" onClick={() => void send(say('hook.notChanged'), () => calls.resume(id))}>
              {say('hook.resume')}
            </Button>
          )}
          {webhook.format === 'standard' && (
            <Button kind="quiet" onClick={() => void send(say('hook.notChanged'), rotate)}>
              {say('hook.rotate')}
            </Button>
          )}
        </div>
        <ReplayForm calls={calls} webhookId={id} onDone={onChanged} />
        <Deliveries calls={calls} webhook={webhook} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title={say('hook.deleteQuestion')}
          text={sayWith('hook.deleteText', { name: <bdi>{name}</bdi> })}
          action={say('common.delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => void send(say('hook.notDeleted'), () => calls.delete(id))}
        />
      )}
    </li>
  );
}

/** Without the path, which may be a secret of the receiver. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function stateOf({ board_id, state, paused_because, failing_since }: Webhook): string {
  if (board_id === null && paused_because === 'creator') return say('hook.pausedOverAll');
  if (paused_because !== null) return say(`hook.paused.${paused_because}`);
  if (state === 'retrying') return say('hook.retrying', { time: failing_since === null ? '' : exactTime(failing_since) });
  return state === 'disabled' ? say('hook.disabled') : say('hook.active');
}

interface DeliveriesProps {
  readonly calls: WebhookCalls;
  readonly webhook: Webhook;
}

/** Read when they are opened. */
function Deliveries({ calls, webhook }: DeliveriesProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{say('hook.deliveries')}</summary>
      {isOpen && <DeliveryList calls={calls} webhook={webhook} />}
    </details>
  );
}

function DeliveryList({ calls, webhook }: DeliveriesProps) {
  const [state] = useLoaded(() => calls.deliveries(webhook.id), webhook);
  return (
    <Loading state={state}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <p class="hint">{say('hook.noDeliveries')}</p>
        ) : (
          <ul class="rows" aria-label={say('hook.deliveries')}>
            {deliveries.map((delivery) => (
              <li key={`${delivery.id} ${delivery.at}`} class="hint">
                {textOf(delivery)}
              </li>
            ))}
          </ul>
        )
      }
    </Loading>
  );
}

/** The number of the event is where a replay may begin. */
function textOf({ type, seq, status, error, attempt: number, at }: WebhookDelivery): string {
  const result = status === null ? (error ?? '') : String(status);
  const tried = number > 1 ? `${result}, ${say('hook.attempt', { number })}` : result;
  return say('hook.deliveryOf', { type: seq === null ? type : `${type} #${seq}`, result: tried, time: relativeTime(at) });
}
