/**
 * A place in the history of a board: the number of an event, and the epoch that the number belongs to. The epoch is '0'
 * while the history was never cut. Written as `<seq>`, or `<epoch>-<seq>` in any other epoch.
 */
export interface Position {
  readonly epoch: string;
  readonly seq: number;
}

export const FIRST_EPOCH = '0';

/** As `writePosition` writes it. */
export const POSITION_PATTERN = '^(?:([0-9a-z]{1,8})-)?([0-9]{1,15})$';
const WRITTEN = new RegExp(POSITION_PATTERN);

export function writePosition({ epoch, seq }: Position): string {
  return epoch === FIRST_EPOCH ? String(seq) : `${epoch}-${seq}`;
}

/** Null if the text is not a position. */
export function readPosition(text: string): Position | null {
  const [, epoch = FIRST_EPOCH, seq] = WRITTEN.exec(text) ?? [];
  return seq === undefined ? null : { epoch, seq: Number(seq) };
}
