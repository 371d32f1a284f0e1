/** WebSocket frames over one TCP connection, for behaviour that no well-behaved client shows. */
import { randomBytes } from 'node:crypto';
import type { Close } from '../../../src/api/closeCodes.js';
import { TcpReader } from '../http/tcpReader.js';

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface FrameOptions {
  readonly opcode?: number;
  readonly final?: boolean;
  readonly masked?: boolean;
  /** The reserved bits, which mean nothing without an extension. */
  readonly reserved?: number;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export class RawSocket {
  readonly #reader: TcpReader;
  /** Bytes of the handshake's answer. */
  #handshakeBytes = 0;

  private constructor(reader: TcpReader) {
    this.#reader = reader;
  }

  /** Bytes that arrived after the handshake. */
  get bytes(): number {
    return this.#reader.socket.bytesRead - this.#handshakeBytes;
  }

  /** Connects and does the handshake; reads nothing more if `reading` is false. */
  static async open(url: string, path: string, { reading = true } = {}): Promise<RawSocket> {
    const client = await RawSocket.connect(url);
    client.write(
      `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
    const head = await client.#reader.takeUntil('\r\n\r\n', 'the upgrade');
    if (!head.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error('no upgrade');
    client.#handshakeBytes = head.length + 4;
    if (!reading) client.#reader.socket.pause();
    return client;
  }

  /** A TCP connection on which nothing is sent. */
  static async connect(url: string): Promise<RawSocket> {
    return new RawSocket(await TcpReader.connect(url));
  }

  write(bytes: string | Uint8Array): void {
    this.#reader.socket.write(bytes);
  }

  /** Resolves when the system has taken everything, or the connection is gone. */
  writeAll(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#reader.socket.write(bytes, () => setImmediate(resolve)));
  }

  send(payload: string | Uint8Array, options: FrameOptions = {}): void {
    this.write(frame(payload, options));
  }

  pause(): void {
    this.#reader.socket.pause();
  }

  resume(): void {
    this.#reader.socket.resume();
  }

  /** Disconnects without a close frame. */
  destroy(): void {
    this.#reader.socket.destroy();
  }

  /** The close code of the server; null if it cut the connection without one. */
  async closeCode(): Promise<number | null> {
    return (await this.closing())?.code ?? null;
  }

  /** The close code of the server and its reason; null if it cut the connection without one. */
  async closing(): Promise<Close | null> {
    for await (const { opcode, payload } of this.frames()) {
      if (opcode === OPCODE.close) return payload.length < 2 ? null : { code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
    }
    return null;
  }

  /** Whether a frame with this text arrives before the connection ends. */
  async receives(text: string): Promise<boolean> {
    for await (const { payload } of this.frames()) if (payload.includes(text)) return true;
    return false;
  }

  /** The frames of the server, until the connection ends. */
  async *frames(): AsyncGenerator<Frame, void, undefined> {
    for (;;) {
      const next = parseFrame(this.#reader.received);
      if (next !== null) {
        this.#reader.take(next.size);
        yield next;
      } else if (this.#reader.isEnded) {
        return;
      } else {
        await this.#reader.more();
      }
    }
  }
}

export function frame(payload: string | Uint8Array, options: FrameOptions = {}): Buffer {
  const { opcode = OPCODE.text, final = true, masked = true, reserved = 0 } = options;
  const bytes = Buffer.from(payload);
  const first = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  const header = lengthHeader(first, bytes.length, masked);
  if (!masked) return Buffer.concat([header, bytes]);
  const mask = randomBytes(4);
  return Buffer.concat([header, mask, bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

function lengthHeader(first: number, length: number, masked: boolean): Buffer {
  const maskBit = masked ? 0x80 : 0;
  if (length < 126) return Buffer.from([first, maskBit | length]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = maskBit | (length < 65_536 ? 126 : 127);
  if (length < 65_536) header.writeUInt16BE(length, 2);
  else header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

/** The frame at the beginning of the bytes; null while it is not complete. */
function parseFrame(bytes: Buffer): (Frame & { readonly size: number }) | null {
  if (bytes.length < 2) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return null;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const size = start + length;
  return bytes.length < size ? null : { opcode: bytes.readUInt8(0) & 0x0f, payload: bytes.subarray(start, size), size };
}
