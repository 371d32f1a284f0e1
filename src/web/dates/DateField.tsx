import type { TargetedFocusEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../ui/form/Button.js';
import { say } from '../words/catalogue.js';
import { dateOf, fieldsOf } from './dates.js';

interface DateFieldProps {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (date: string | null) => void;
}

/**
 * The field with the focus is left by the click alone. A press would leave it, which saves its date and shows it: the button would no longer
 * be below the pointer when that is released, and the click would be lost.
 */
function stayInField(event: Event): void {
  event.preventDefault();
}

/** A day, and a time if there is one. Saved when the fields are left: a year is typed digit by digit. */
export function DateField({ label, value, onChange }: DateFieldProps) {
  const [{ day, time }, set] = useState(fieldsOf(value));
  const days = useRef<HTMLInputElement>(null);
  const times = useRef<HTMLInputElement>(null);
  const shown = useRef(value);
  // Before anything can be typed over the new value.
  useLayoutEffect(() => {
    if (shown.current !== value) set(fieldsOf(value));
    shown.current = value;
  }, [value]);
  // From the fields: what was typed right before may not be rendered yet.
  const save = (): void => {
    const date = dateOf(days.current?.value ?? day, times.current?.value ?? time);
    if (date !== value) onChange(date);
  };
  // From the day to its time nothing is saved: the saved day would come back and take away the time that is being typed.
  const leave = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLFieldSetElement>): void => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) save();
  };
  // The button goes with the date: the focus stays in the form, and a blur must not bring the date back.
  const clear = (): void => {
    days.current?.focus();
    set(fieldsOf(null));
    onChange(null);
  };
  return (
    <fieldset onFocusOut={leave}>
      <legend>{label}</legend>
      <div class="date-fields">
        <input
          ref={days}
          type="date"
          aria-label={say('dates.day', { what: label })}
          value={day}
          max="9999-12-31"
          onInput={(event) => set({ day: event.currentTarget.value, time })}
        />
        <input
          ref={times}
          type="time"
          aria-label={say('dates.time', { what: label })}
          value={time}
          disabled={day === ''}
          onInput={(event) => set({ day, time: event.currentTarget.value })}
        />
        {value !== null && (
          <Button kind="quiet" icon="close" onMouseDown={stayInField} onClick={clear}>
            {say('dates.clear')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
