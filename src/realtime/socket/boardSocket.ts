/** A socket for one board: client and follower in one object, because ten thousand of them are idle for hours. */
import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../../api/closeCodes.js';
import { isSentUnnumbered, withSeq, type BoardEvent } from '../../domain/events.js';
import { Arrival, type Client, renderResync, Follower, type RoomPlace, type SocketData, type SocketToken, type SocketUser } from './follower.js';
import { hangUp, sendTogether } from './socketCalls.js';

export interface BoardSocketOptions {
  readonly place: RoomPlace;
  readonly user: SocketUser;
  readonly number: number;
  readonly token: SocketToken;
  readonly numbered: boolean;
}

export class BoardSocket extends Follower implements Client {
  readonly socket: WebSocket<SocketData>;
  readonly user: SocketUser;
  token: SocketToken;
  readonly form: 'plain' | 'numbered';

  constructor(socket: WebSocket<SocketData>, { place, user, number, token, numbered }: BoardSocketOptions) {
    super(place, number);
    this.socket = socket;
    this.user = user;
    this.token = token;
    this.form = numbered ? 'numbered' : 'plain';
  }

  get client(): Client {
    return this;
  }

  get followers(): readonly Follower[] {
    return [this];
  }

  get isAdmitted(): boolean {
    return this.isPresent;
  }

  get answersPings(): boolean {
    return true;
  }

  get isReceiving(): boolean {
    return this.state instanceof Arrival && this.state.isReceiving;
  }

  get ping(): string {
    return `{"type":"ping","board_id":"${this.place.boardId}"}`;
  }

  isOn(place: RoomPlace): boolean {
    return this.place === place;
  }

  sendEvent(event: BoardEvent): void {
    this.noteSent(event.seq);
    if (this.numbered) this.send(withSeq(event, this.place.epoch));
    else if (isSentUnnumbered(event)) this.send(event.json);
  }

  sendResync(seq: number): void {
    this.noteSent(seq);
    this.send(renderResync({ epoch: this.place.epoch, seq }));
  }

  sendPresence(texts: readonly string[]): void {
    if (!this.isEnded) sendTogether(this.socket, texts);
  }

  noteJoined(): void {
    // The contract's sockets hear of their own join by `user_joined`.
  }

  end(close: Close): void {
    this.hangUp(close);
  }

  hangUp(close: Close): void {
    if (!this.isEnded) hangUp(this.socket, close);
  }
}
