/** WebSockets of tests: their connections can be cut and frozen, and they record their messages. */
import { WebSocket } from 'ws';

/** A message of the service, parsed. */
export interface ReceivedMessage {
  readonly type: string;
  readonly seq?: number;
  /** Events have one. */
  readonly version?: string;
  /** Of the token. */
  readonly expires_at?: string;
}

/** A message of the client, parsed. */
export interface SentMessage {
  readonly type: string;
  readonly board_id?: string;
  readonly since?: string;
  readonly token?: string;
}

/** One connection. */
export class WatchedWebSocket extends WebSocket {
  readonly received: ReceivedMessage[] = [];
  readonly sent: SentMessage[] = [];

  constructor(url: string) {
    super(url);
    this.on('message', (data) => this.received.push(JSON.parse(String(data)) as ReceivedMessage));
  }

  override send(text: string): void {
    this.sent.push(JSON.parse(text) as SentMessage);
    super.send(text);
  }

  /** The number from which the client first wanted events; null if it never got that far. */
  get since(): number | null {
    const first = this.sent.find(({ type }) => type === 'subscribe');
    return first === undefined ? null : Number(first.since);
  }

  /** The numbers of the received events, in order. */
  get eventNumbers(): number[] {
    return this.received.flatMap(({ seq, version }) => (version === undefined ? [] : (seq ?? [])));
  }

  /** Disconnects without a close frame, like a cut cable. */
  cut(): void {
    this.terminate();
  }

  /** Reads no more, until `resume`. */
  freeze(): void {
    if (this.readyState === WebSocket.OPEN) this.pause();
  }
}

/** A constructor for the client, and every socket that it created, in order. */
export interface WatchedSockets {
  readonly constructor: new (url: string) => WatchedWebSocket;
  readonly made: readonly WatchedWebSocket[];
  /** The one in use. */
  latest(): WatchedWebSocket;
}

export function watchSockets(): WatchedSockets {
  const made: WatchedWebSocket[] = [];
  class Watched extends WatchedWebSocket {
    constructor(url: string) {
      super(url);
      made.push(this);
    }
  }
  const latest = (): WatchedWebSocket => {
    const socket = made.at(-1);
    if (socket === undefined) throw new Error('no socket was created yet');
    return socket;
  };
  return { constructor: Watched, made, latest };
}
