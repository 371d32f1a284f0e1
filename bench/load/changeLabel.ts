/** The number of a change, written into the card's title so that it can be found in the event without parsing it. */
const PREFIX = 'change-';
const DIGITS = 8;

const PREFIX_BYTES = Buffer.from(PREFIX);
const ZERO = 0x30;

export const LABEL_PATTERN = new RegExp(`${PREFIX}\\d{${DIGITS}}`);

export function changeLabel(change: number): string {
  return PREFIX + String(change).padStart(DIGITS, '0');
}

/** Where the label begins in `bytes`, or -1. */
export function findLabel(bytes: Buffer, from: number): number {
  return bytes.indexOf(PREFIX_BYTES, from);
}

export function hasLabelAt(bytes: Buffer, at: number): boolean {
  for (let i = 0; i < PREFIX_BYTES.length; i += 1) if (bytes[at + i] !== PREFIX_BYTES[i]) return false;
  return true;
}

export function readLabel(bytes: Buffer, at: number): number {
  let change = 0;
  const start = at + PREFIX_BYTES.length;
  for (let i = start; i < start + DIGITS; i += 1) change = change * 10 + (bytes[i] ?? ZERO) - ZERO;
  return change;
}
