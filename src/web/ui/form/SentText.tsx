/**
 * A text changed in place by a call: no queue has it. A text that was refused, or could not be sent, stays in its field with
 * the reason.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { notify, reasonOf } from '../../state/notices.js';
import { say } from '../../words/catalogue.js';
import { Button } from './Button.js';
import { Field, textOf } from './Field.js';
import { InlineText } from './InlineText.js';
import { Refusal } from './Refusal.js';

interface Unsaved {
  readonly text: string;
  /** Null if an earlier window was told. */
  readonly reason: string | null;
}

interface SentTextProps {
  readonly value: string;
  /** What it is, such as "Name of the rule". */
  readonly label: string;
  /** Beside the refused text, where the form has the name `label`. */
  readonly fieldLabel: string;
  /** What is said if the field is gone when the refusal comes. */
  readonly failure: string;
  readonly onSave: (text: string) => Promise<void>;
  readonly class?: string;
  readonly isDisabled?: boolean;
  /** As for `Field`. */
  readonly isName?: boolean;
  readonly maxLength?: number;
  /** Where a refused text outlives the window. Without it, leaving the form asks. */
  readonly draft?: { readonly text: string | null; keep(text: string | null): void };
}

export function SentText({ value, label, fieldLabel, failure, onSave, draft, isName = false, class: extra = '', ...text }: SentTextProps) {
  const [unsaved, setUnsaved] = useState<Unsaved | null>(() => (typeof draft?.text === 'string' ? { text: draft.text, reason: null } : null));
  const [isBusy, setBusy] = useState(false);
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const end = (): void => {
    draft?.keep(null);
    setUnsaved(null);
  };
  const refuse = (wanted: string, reason: string): void => {
    setUnsaved({ text: wanted, reason });
    // The panel was closed over the field, which saves what stands in it.
    if (!isShown.current) notify('failure', say('common.failed', { what: failure, reason }));
  };
  const save = async (wanted: string): Promise<void> => {
    setBusy(true);
    // Before it is sent: the window may be closed over the answer.
    draft?.keep(wanted);
    try {
      await onSave(wanted);
      end();
    } catch (error) {
      refuse(wanted, reasonOf(error));
    } finally {
      setBusy(false);
    }
  };
  const change = (wanted: string, isOvertaken: boolean): void => {
    if (!isOvertaken) return void save(wanted);
    draft?.keep(wanted);
    refuse(wanted, say('unsaved.overtaken'));
  };
  if (unsaved === null) return <InlineText {...text} class={extra} value={value} label={label} onChange={change} />;
  return (
    <form
      class="sub-form"
      data-unkept={draft === undefined ? 'refused' : undefined}
      aria-label={label}
      onInput={(event) => draft?.keep(textOf(event.currentTarget, 'text'))}
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = textOf(event.currentTarget, 'text').trim();
        if (!isBusy && wanted !== '') void save(wanted);
      }}
    >
      <Refusal reason={unsaved.reason} />
      <Field label={fieldLabel} name="text" required isName={isName} defaultValue={unsaved.text} isBusy={isBusy} {...lengthOf(text)} />
      <div class="row">
        <Button type="submit" kind="primary" disabled={isBusy}>
          {say('common.save')}
        </Button>
        <Button onClick={end}>{say('common.cancel')}</Button>
      </div>
    </form>
  );
}

function lengthOf({ maxLength }: { readonly maxLength?: number }): { readonly maxLength?: number } {
  return maxLength === undefined ? {} : { maxLength };
}
