/** A client of the stream of server-sent events of a board. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { TestUser } from '../http/users.js';

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
}

export interface StreamOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class TestEventStream {
  readonly response: IncomingMessage;
  /** In order, without comments. */
  readonly events: StreamEvent[] = [];
  comments = 0;
  /** Resolves when the response has ended or was cut. */
  readonly ended: Promise<unknown>;
  #text = '';
  #wake: () => void = () => undefined;
  #isOver = false;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#receive(text));
    response.on('error', () => undefined);
    this.ended = new Promise<void>((resolve) => response.on('close', resolve)).then(() => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** Resolves when the head of the response has arrived. */
  static async open(url: string, boardId: string, { token }: Pick<TestUser, 'token'>, options: StreamOptions = {}): Promise<TestEventStream> {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}`, ...options.headers };
    const asked = request(`${url}/boards/${boardId}/events${options.query ?? ''}`, { headers, agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return new TestEventStream(response);
  }

  get ids(): Array<string | undefined> {
    return this.events.map(({ id }) => id);
  }

  async event(index: number): Promise<StreamEvent> {
    for (;;) {
      const event = this.events[index];
      if (event !== undefined) return event;
      if (this.#isOver) throw new Error(`the stream ended before event ${index}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves when this many comments have come. */
  async comment(count: number): Promise<void> {
    while (this.comments < count) {
      if (this.#isOver) throw new Error(`the stream ended before comment ${count}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.response.destroy();
  }

  #receive(text: string): void {
    this.#text += text;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1;
      else if (!block.startsWith('retry:')) this.events.push(parseBlock(block));
    }
    this.#wake();
  }
}

function parseBlock(block: string): StreamEvent {
  const fields = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    return [name, name === 'data' ? (JSON.parse(value) as unknown) : value] as const;
  });
  return Object.fromEntries(fields) as StreamEvent;
}
