/**
 * A cheap WebSocket client: one read buffer for all sockets, frames parsed in place, no objects for a message. Ten
 * thousand clients must not be slower than the server that they measure.
 */
import { connect, type Socket } from 'node:net';
import { findLabel, hasLabelAt, readLabel } from './changeLabel.js';
import { CLOSE, PING, PONG, TEXT, clientFrame, readFrames } from './frames.js';
import type { Dialect, SocketAddress } from './jobs.js';

export interface BoardSocketEvents {
  /** It gets events from here on. */
  onReady(socket: BoardSocket): void;
  onChange(change: number): void;
  /** It ended without `drop`. */
  onLost(socket: BoardSocket, reason: string): void;
}

/** Larger than any burst that a server sends to one socket at once. */
const READ_BUFFER_BYTES = 256 * 1024;
const READ_BUFFER = Buffer.allocUnsafe(READ_BUFFER_BYTES);
const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
/** The server does not check that a key is fresh. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

const JSON_PONG = clientFrame(TEXT, '{"type":"pong"}');
const ENGINE_PONG = clientFrame(TEXT, '3');
/**
 * The letter that distinguishes `{"type":"ping"…`, `{"type":"user_…` and `{"type":"subscribed"…` from the names of
 * events.
 */
const KIND_AT = '{"type":"'.length;
const LETTER = { p: 0x70, s: 0x73, u: 0x75, zero: 0x30, two: 0x32, four: 0x34 } as const;

type State = 'handshake' | 'entering' | 'ready' | 'ended';

export class BoardSocket {
  readonly #socket: Socket;
  readonly #dialect: Dialect;
  readonly #address: SocketAddress;
  readonly #events: BoardSocketEvents;
  #state: State = 'handshake';
  /** The beginning of an incomplete frame or handshake answer. */
  #rest: Buffer = NOTHING;
  /** The offset of the label in the last event: in the next one it is mostly the same. */
  #labelAt = 0;
  /** Boards that are not confirmed yet. */
  #toConfirm: number;

  constructor(url: URL, dialect: Dialect, address: SocketAddress, events: BoardSocketEvents) {
    this.#dialect = dialect;
    this.#address = address;
    this.#events = events;
    this.#toConfirm = address.follows?.length ?? 0;
    this.#socket = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: { buffer: READ_BUFFER, callback: (length) => this.#read(length) },
    });
    this.#socket.on('error', (error) => this.#lose(error.message));
    this.#socket.on('close', () => this.#lose('the connection closed'));
    this.#socket.write(
      `GET ${address.path} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
  }

  /** Resets the connection. */
  drop(): void {
    this.#state = 'ended';
    this.#socket.resetAndDestroy();
  }

  #read(length: number): boolean {
    const isWhole = this.#rest.length === 0;
    const bytes = isWhole ? READ_BUFFER : Buffer.concat([this.#rest, READ_BUFFER.subarray(0, length)]);
    const end = isWhole ? length : bytes.length;
    const from = this.#state === 'handshake' ? this.#readHead(bytes, end) : 0;
    const rest = this.#state === 'handshake' ? 0 : readFrames(bytes, from, end, this.#onFrame);
    this.#rest = rest === end ? NOTHING : Buffer.from(bytes.subarray(rest, end));
    return true;
  }

  /** Returns where the frames begin. The state does not change while the head is incomplete. */
  #readHead(bytes: Buffer, end: number): number {
    const head = bytes.subarray(0, end).indexOf(HEAD_END);
    if (head < 0) return 0;
    if (bytes.toString('latin1', 9, 12) !== '101') {
      this.#lose(`the handshake got ${bytes.toString('latin1', 9, 12)}`);
      this.#socket.destroy();
      return end;
    }
    this.#state = 'entering';
    if (this.#dialect === 'bare') this.#enter();
    if (this.#dialect === 'shared') this.#follow();
    return head + HEAD_END.length;
  }

  readonly #onFrame = (opcode: number, bytes: Buffer, start: number, end: number): void => {
    if (opcode === TEXT) this.#onText(bytes, start, end);
    else if (opcode === PING) this.#socket.write(clientFrame(PONG, bytes.subarray(start, end)));
    else if (opcode === CLOSE) this.#lose(`closed with ${end - start >= 2 ? bytes.readUInt16BE(start) : 'no code'}`);
  };

  #onText(bytes: Buffer, start: number, end: number): void {
    if (this.#dialect === 'socket.io') {
      this.#onEngineText(bytes, start, end);
      return;
    }
    const letter = bytes[start + KIND_AT];
    if (letter === LETTER.p) this.#socket.write(JSON_PONG);
    else if (letter === LETTER.u && this.#dialect === 'switchboard') this.#enter();
    else if (letter === LETTER.s && this.#dialect === 'shared') this.#confirm();
    else this.#onEvent(bytes, start, end);
  }

  #follow(): void {
    for (const board_id of this.#address.follows ?? []) {
      this.#socket.write(clientFrame(TEXT, JSON.stringify({ type: 'subscribe', board_id })));
    }
  }

  #confirm(): void {
    this.#toConfirm -= 1;
    if (this.#toConfirm === 0) this.#enter();
  }

  /** Engine.IO: 0 open, 2 ping, 4 message; in a message 0 confirms the namespace and 2 is an event. */
  #onEngineText(bytes: Buffer, start: number, end: number): void {
    const kind = bytes[start];
    if (kind === LETTER.zero) this.#socket.write(clientFrame(TEXT, `40${JSON.stringify(this.#address.auth)}`));
    else if (kind === LETTER.two) this.#socket.write(ENGINE_PONG);
    else if (kind === LETTER.four && bytes[start + 1] === LETTER.zero) this.#enter();
    else if (kind === LETTER.four && bytes[start + 1] === LETTER.two) this.#onEvent(bytes, start, end);
    else this.#lose(`refused with ${bytes.toString('utf8', start, end)}`);
  }

  #onEvent(bytes: Buffer, start: number, end: number): void {
    if (!hasLabelAt(bytes, start + this.#labelAt)) this.#labelAt = findLabel(bytes, start) - start;
    const at = start + this.#labelAt;
    if (this.#labelAt > 0 && at < end) this.#events.onChange(readLabel(bytes, at));
    else this.#labelAt = 0;
  }

  #enter(): void {
    if (this.#state !== 'entering') return;
    this.#state = 'ready';
    this.#events.onReady(this);
  }

  #lose(reason: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#events.onLost(this, reason);
  }
}
