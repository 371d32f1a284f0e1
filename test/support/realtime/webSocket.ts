/** WebSockets of tests: their connections can be cut and frozen, and they record their messages. */
import { WebSocket } from 'ws';

/** A received message, parsed. */
export interface ReceivedMessage {
  readonly type: string;
  readonly seq?: number;
}

/** One connection. */
export class WatchedWebSocket extends WebSocket {
  readonly received: ReceivedMessage[] = [];
  /** The value of `since` in the address. */
  readonly since: number;

  constructor(url: string) {
    super(url);
    this.since = Number(new URL(url).searchParams.get('since'));
    this.on('message', (data) => this.received.push(JSON.parse(String(data)) as ReceivedMessage));
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
