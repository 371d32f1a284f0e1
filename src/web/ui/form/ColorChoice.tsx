/** The colours that fit the design; users of the API may choose any other. */
export const COLORS: ReadonlyArray<readonly [name: string, color: string]> = [
  ['Grey', '#6b7280'],
  ['Red', '#c93c37'],
  ['Orange', '#d9730d'],
  ['Yellow', '#e3b341'],
  ['Green', '#2da44e'],
  ['Teal', '#0f9f96'],
  ['Blue', '#2f6feb'],
  ['Purple', '#8250df'],
  ['Pink', '#d6409f'],
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
          aria-label={name}
          title={name}
          aria-pressed={value.toLowerCase() === color}
          style={{ background: color }}
          onClick={() => onChange(color)}
        />
      ))}
    </div>
  );
}
