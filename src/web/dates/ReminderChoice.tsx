import { say } from '../words/catalogue.js';
import type { PlainKey } from '../words/catalogue.js';

interface ReminderChoiceProps {
  readonly value: number | null;
  readonly onChange: (minutes: number | null) => void;
}

/** Null is the default, which is a day. */
const CHOICES: ReadonlyArray<readonly [minutes: number | null, words: PlainKey]> = [
  [null, 'reminder.day'],
  [0, 'reminder.atTime'],
  [10, 'reminder.tenMinutes'],
  [60, 'reminder.hour'],
  [2_880, 'reminder.twoDays'],
  [10_080, 'reminder.week'],
  [-1, 'reminder.none'],
];
const DAY_MINUTES = 1_440;

/** When the assignees of a card are reminded of its date. */
export function ReminderChoice({ value, onChange }: ReminderChoiceProps) {
  const chosen = value === DAY_MINUTES ? null : value;
  const isListed = CHOICES.some(([minutes]) => minutes === chosen);
  return (
    <label class="field">
      {say('reminder.title')}
      <select value={String(chosen)} onChange={({ currentTarget }) => onChange(currentTarget.value === 'null' ? null : Number(currentTarget.value))}>
        {CHOICES.map(([minutes, words]) => (
          <option key={words} value={String(minutes)}>
            {say(words)}
          </option>
        ))}
        {/* Set by a program. */}
        {!isListed && chosen !== null && <option value={String(chosen)}>{say('reminder.minutes', { count: chosen })}</option>}
      </select>
    </label>
  );
}
