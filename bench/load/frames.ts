/** WebSocket frames: parses those of a server in place, and builds small ones of a client. */
export const TEXT = 1;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

/** Called with the opcode and the place of the payload. */
export type OnFrame = (opcode: number, bytes: Buffer, start: number, end: number) => void;

/** Returns where the first incomplete frame begins. Servers do not fragment messages as small as ours. */
export function readFrames(bytes: Buffer, from: number, to: number, onFrame: OnFrame): number {
  let at = from;
  while (to - at >= 2) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (to - at < header) return at;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUIntBE(at + 4, 6);
    const end = at + header + length;
    if (end > to) return at;
    onFrame((bytes[at] ?? 0) & 0x0f, bytes, at + header, end);
    at = end;
  }
  return at;
}

/** A client must mask; masking with zeros changes nothing and is allowed. Payloads have less than 64 KiB. */
export function clientFrame(opcode: number, payload: Buffer | string): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const header = bytes.length < 126 ? [0x80 | bytes.length] : [0x80 | 126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...header, 0, 0, 0, 0]), bytes]);
}
