import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'datetime-local';
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly defaultValue?: string;
  /** For names that are typed as they are: no capitals, no corrections. */
  readonly isName?: boolean;
  readonly inputMode?: 'numeric';
  /** Its text is on its way: what is typed meanwhile would be lost. */
  readonly isBusy?: boolean;
}

export function Field({ label, hint, isName = false, type = 'text', autoFocus = false, isBusy = false, ...input }: FieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // Browsers obey the attribute once a page.
  useLayoutEffect(() => {
    if (autoFocus) field.current?.focus();
  }, []);
  const attributes: object = {
    ...input,
    type,
    readOnly: isBusy,
    'aria-busy': isBusy,
    ...(isName ? { autocapitalize: 'none', spellcheck: false } : {}),
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input {...attributes} ref={field} id={id} dir="auto" />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The text of a named field of a submitted form. */
export function textOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}
