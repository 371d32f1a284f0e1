/** A receiver of webhooks that does what a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { until } from '../until.js';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: ReceivedBody;
}

export interface ReceivedBody {
  readonly type: string;
  readonly board_id: string;
  readonly seq: number;
  readonly user_id: string | null;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly topic?: string;
  readonly title?: string;
  readonly message?: string;
}

export type Behaviour = (response: ServerResponse, received: Received) => void;

export const answering =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end('thanks');

export class Receiver {
  readonly all: Received[] = [];
  readonly url: string;
  behaviour: Behaviour = answering(204);

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}/hook`;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<Receiver> {
    let receiver: Receiver | null = null;
    const server = createServer((request, response) => void receive(request).then((received) => receiver?.take(received, response)));
    server.on('clientError', (_error, socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    receiver = new Receiver((server.address() as AddressInfo).port);
    return receiver;
  }

  take(received: Received, response: ServerResponse): void {
    this.all.push(received);
    this.behaviour(response, received);
  }

  async until(holds: (all: readonly Received[]) => boolean): Promise<readonly Received[]> {
    await until(
      () => holds(this.all),
      () => this.all.map(({ body }) => `${body.type} ${body.seq}`),
    );
    return this.all;
  }

  /** The types received, in order. */
  get types(): string[] {
    return this.all.map(({ body }) => body.type);
  }
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { path: request.url ?? '', headers, text, body: JSON.parse(text) as ReceivedBody };
}
