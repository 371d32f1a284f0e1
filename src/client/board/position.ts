import type { BoardPosition } from '../events.js';
import { FIRST_EPOCH, POSITION_PATTERN } from '../facts.js';

const WRITTEN = new RegExp(POSITION_PATTERN);

/** As the service writes it: `<seq>`, or `<epoch>-<seq>`. */
export function readPosition(text: string | undefined): Required<BoardPosition> | null {
  const [, epoch = FIRST_EPOCH, seq] = WRITTEN.exec(text ?? '') ?? [];
  return seq === undefined ? null : { epoch, seq: Number(seq) };
}
