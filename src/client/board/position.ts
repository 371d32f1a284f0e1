import type { BoardPosition } from '../events.js';

/** As the service writes it: `<seq>`, or `<epoch>-<seq>`. */
export function readPosition(text: string | undefined): Required<BoardPosition> | null {
  const [, epoch = '0', seq] = /^(?:([0-9a-z]+)-)?(\d+)$/.exec(text ?? '') ?? [];
  return seq === undefined ? null : { epoch, seq: Number(seq) };
}
