/** WebSockets of tests, whose connections can be cut and frozen, and which remember what came. */
import { WebSocket } from 'ws';

/** A message as it came, parsed. */
export interface ReceivedMessage {
  readonly type: string;
  readonly seq?: number;
}

/** One connection. */
export class WatchedWebSocket extends WebSocket {
  readonly received: ReceivedMessage[] = [];
  /** What the client asked to begin after, as in its address. */
  readonly since: number;

  constructor(url: string) {
    super(url);
    this.since = Number(new URL(url).searchParams.get('since'));
    this.on('message', (data) => this.received.push(JSON.parse(String(data)) as ReceivedMessage));
  }

  /** Gone without a word, as when a cable is pulled. */
  cut(): void {
    this.terminate();
  }

  /** Reads no more, until `resume`. */
  freeze(): void {
    if (this.readyState === WebSocket.OPEN) this.pause();
  }
}

/** A constructor for the client, and every socket that was made with it, in order. */
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
    if (socket === undefined) throw new Error('no socket was made yet');
    return socket;
  };
  return { constructor: Watched, made, latest };
}
