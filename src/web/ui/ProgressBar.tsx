interface ProgressBarProps {
  readonly label: string;
  /** From 0 to 1; null if unknown. */
  readonly value: number | null;
  /** Shown below, such as "3 MB so far". */
  readonly text?: string;
}

export function ProgressBar({ label, value, text }: ProgressBarProps) {
  return (
    <div class="transfer">
      <progress aria-label={label} max={1} {...(value === null ? {} : { value })} />
      {text !== undefined && (
        <p class="hint" aria-hidden="true">
          {text}
        </p>
      )}
    </div>
  );
}
