/** Sends events again, from a number of the board or from a time. */
import { useState } from 'preact/hooks';
import { useSubmit } from '../signIn/useSubmit.js';
import { announce } from '../state/notices.js';
import { Button } from '../ui/form/Button.js';
import { Field, textOf } from '../ui/form/Field.js';
import { Refusal } from '../ui/form/Refusal.js';
import { say } from '../words/catalogue.js';
import type { WebhookCalls } from './webhookCalls.js';

interface ReplayFormProps {
  readonly calls: WebhookCalls;
  readonly webhookId: string;
  readonly onDone: () => void;
}

export function ReplayForm({ calls, webhookId, onDone }: ReplayFormProps) {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, refusal, submit } = useSubmit(async (form) => {
    await calls.replay(webhookId, textOf(form, 'since'));
    announce(say('hook.replayed'));
    setOpen(false);
    onDone();
  });
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{say('hook.replay')}</summary>
      {isOpen && (
        <form onSubmit={submit} class="sub-form">
          <Refusal reason={refusal} />
          {calls.replaysFrom === 'number' ? (
            <Field label={say('hook.replayAfter')} name="since" type="number" min={0} required defaultValue="0" hint={say('hook.replayHint')} />
          ) : (
            <Field label={say('hook.replaySince')} name="since" type="datetime-local" required hint={say('hook.replayHintAll')} />
          )}
          <Button type="submit" disabled={isBusy}>
            {say('hook.replay')}
          </Button>
        </form>
      )}
    </details>
  );
}
