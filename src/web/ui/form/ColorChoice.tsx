import { say, type PlainKey } from '../../words/catalogue.js';

/** The colours that fit the design; users of the API may choose any other. */
export const COLORS: ReadonlyArray<readonly [name: PlainKey, color: string]> = [
  ['color.grey', '#6b7280'],
  ['color.red', '#c93c37'],
  ['color.orange', '#d9730d'],
  ['color.yellow', '#e3b341'],
  ['color.green', '#2da44e'],
  ['color.teal', '#0f9f96'],
  ['color.blue', '#2f6feb'],
  ['color.purple', '#8250df'],
  ['color.pink', '#d6409f'],
];

interface ColorChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (color: string) => void;
}

export function ColorChoice({ label, value, onChange }: ColorChoiceProps) {
  return (
    <div class="colors" role="group" aria-label={label}>
      {COLORS.map(([name, color]) => (
        <button
          key={color}
          type="button"
          class="color"
          aria-label={say(name)}
          title={say(name)}
          aria-pressed={value.toLowerCase() === color}
          style={{ background: color }}
          onClick={() => onChange(color)}
        />
      ))}
    </div>
  );
}
