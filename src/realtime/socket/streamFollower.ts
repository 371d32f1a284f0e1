/** A client that follows one board over HTTP, as a stream of server-sent events. It has no presence. */
import type { LiveStream } from '../../api/operation/operation.js';
import type { Close } from '../../api/closeCodes.js';
import { withSeq, type BoardEvent } from '../../domain/events.js';
import { writePosition } from '../../domain/position.js';
import { renderResync, Follower, type Client, type MessageSink, type RoomPlace, type SocketToken, type SocketUser } from './follower.js';
import { endingOf } from '../delivery/slowClients.js';

const COMMENT = ':\n\n';

export interface StreamFollowerOptions {
  readonly place: RoomPlace;
  readonly user: SocketUser;
  readonly number: number;
  readonly token: SocketToken;
  /** Throws if the user may no longer read the board. */
  readonly checkAccess: () => Promise<unknown>;
}

export class StreamFollower extends Follower implements Client {
  readonly user: SocketUser;
  token: SocketToken;
  readonly checkAccess: () => Promise<unknown>;
  readonly #onClosed: (follower: StreamFollower) => void;
  /** Null until the response has begun. */
  #stream: LiveStream | null = null;

  constructor({ place, user, number, token, checkAccess }: StreamFollowerOptions, onClosed: (follower: StreamFollower) => void) {
    super(place, number);
    this.user = user;
    this.token = token;
    this.checkAccess = checkAccess;
    this.#onClosed = onClosed;
  }

  /** The response has begun. If the client is gone already, the follower ends here. */
  attach(stream: LiveStream): void {
    this.#stream = stream;
    stream.onDrain(() => this.noteDrain());
    stream.onClosed(() => this.#onClosed(this));
  }

  get client(): Client {
    return this;
  }

  get form(): 'stream' {
    return 'stream';
  }

  get followers(): readonly Follower[] {
    return [this];
  }

  get isReceiving(): boolean {
    return false;
  }

  /** It sends nothing. A client that is gone takes nothing, so uWebSockets ends its connection. */
  get answersPings(): boolean {
    return false;
  }

  get isAdmitted(): boolean {
    return this.#stream !== null;
  }

  override get isPresent(): boolean {
    return false;
  }

  get ping(): string {
    return COMMENT;
  }

  get socket(): MessageSink {
    return this;
  }

  override send(text: string): void {
    if (!this.isEnded) this.#stream?.write(text);
  }

  getBufferedAmount(): number {
    return this.#stream?.unsentBytes ?? 0;
  }

  isOn(place: RoomPlace): boolean {
    return this.place === place;
  }

  sendEvent(event: BoardEvent): void {
    this.noteSent(event.seq);
    this.#sendMessage(event.type, event.seq, withSeq(event, this.place.epoch));
  }

  sendResync(seq: number): void {
    this.noteSent(seq);
    this.#sendMessage('resync', seq, renderResync({ epoch: this.place.epoch, seq }));
  }

  sendPresence(): void {
    // It has none.
  }

  noteJoined(): void {
    // The response itself says so.
  }

  end(close: Close): void {
    this.hangUp(close);
  }

  hangUp({ code, reason }: Close): void {
    const stream = this.#stream;
    if (this.isEnded) return;
    if (stream === null) return this.#onClosed(this);
    if (endingOf(stream.unsentBytes) === 'cut') return stream.cut();
    stream.write(`event: closed\ndata: ${JSON.stringify({ code, reason })}\n\n`);
    stream.end();
  }

  #sendMessage(type: string, seq: number, json: string): void {
    const id = writePosition({ epoch: this.place.epoch, seq });
    this.send(`id: ${id}\nevent: ${type}\ndata: ${json}\n\n`);
  }
}
