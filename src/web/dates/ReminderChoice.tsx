import { say } from '../words/catalogue.js';
import type { PlainKey } from '../words/catalogue.js';

interface ReminderChoiceProps {
  /** Null: as each of the people wants it. */
  readonly value: number | null;
  readonly onChange: (minutes: number | null) => void;
}

interface MinutesChoiceProps<Minutes extends number | null> {
  readonly label: string;
  readonly choices: ReadonlyArray<readonly [minutes: Minutes, words: PlainKey]>;
  readonly value: Minutes;
  readonly onChange: (minutes: Minutes) => void;
}

const CHOICES: ReadonlyArray<readonly [minutes: number, words: PlainKey]> = [
  [0, 'reminder.atTime'],
  [10, 'reminder.tenMinutes'],
  [60, 'reminder.hour'],
  [1_440, 'reminder.day'],
  [2_880, 'reminder.twoDays'],
  [10_080, 'reminder.week'],
  [-1, 'reminder.none'],
];
const OF_CARDS: ReadonlyArray<readonly [minutes: number | null, words: PlainKey]> = [[null, 'reminder.own'], ...CHOICES];

/** When the people of a card are reminded of its date. */
export function ReminderChoice(props: ReminderChoiceProps) {
  return <MinutesChoice<number | null> label={say('reminder.title')} choices={OF_CARDS} {...props} />;
}

/** When the user is reminded by cards that do not say it. */
export function OwnReminderChoice(props: { readonly value: number; readonly onChange: (minutes: number) => void }) {
  return <MinutesChoice<number> label={say('notices.reminder')} choices={CHOICES} {...props} />;
}

function MinutesChoice<Minutes extends number | null>({ label, choices, value, onChange }: MinutesChoiceProps<Minutes>) {
  const isListed = choices.some(([minutes]) => minutes === value);
  const choose = (text: string): void => {
    const chosen = choices.find(([minutes]) => String(minutes) === text);
    if (chosen !== undefined) onChange(chosen[0]);
  };
  return (
    <label class="field">
      {label}
      <select value={String(value)} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {choices.map(([minutes, words]) => (
          <option key={words} value={String(minutes)}>
            {say(words)}
          </option>
        ))}
        {/* Set by a program. */}
        {!isListed && value !== null && <option value={String(value)}>{say('reminder.minutes', { count: value })}</option>}
      </select>
    </label>
  );
}
