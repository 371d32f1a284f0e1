/** The client of the end-to-end tests on a socket for several boards. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { SocketMessage } from './messageChecker.js';
import { connect, TestSocket, type SocketOptions } from './socket.js';

export class TestSharedSocket extends TestSocket {
  /** Resolves after the handshake, before the server admits or refuses the client. */
  static async openShared(url: string, options: SocketOptions): Promise<TestSharedSocket> {
    const socket = connect(url, '/ws', options);
    const client = new TestSharedSocket(socket, options, 'shared');
    await once(socket, 'open');
    return client;
  }

  /** Resolves when the server has accepted the token. */
  static async enter(url: string, { token }: { readonly token: string }, options: Partial<SocketOptions> = {}): Promise<TestSharedSocket> {
    const client = await TestSharedSocket.openShared(url, { token, ...options });
    await client.find('authenticated');
    return client;
  }

  tell(message: object): void {
    this.send(JSON.stringify(message));
  }

  /** Resolves to `subscribed` or `unsubscribed`. */
  subscribe(board_id: string, since?: number | string): Promise<SocketMessage> {
    const from = this.messages.length;
    this.tell({ type: 'subscribe', board_id, ...(since === undefined ? {} : { since }) });
    return this.find(({ type, board_id: board }) => type.endsWith('subscribed') && board === board_id, from);
  }

  /** The answer `error` to this message. */
  async refused(message: object): Promise<SocketMessage> {
    const from = this.messages.length;
    this.tell(message);
    return this.find('error', from);
  }

  /** Resolves when the server has handled everything that was sent before. The refusal that shows it is not kept. */
  async handled(): Promise<void> {
    const board_id = randomUUID();
    const isAnswer = (message: SocketMessage): boolean => message.type === 'error' && message['board_id'] === board_id;
    this.tell({ type: 'unsubscribe', board_id });
    await this.find(isAnswer);
    this.messages.splice(this.messages.findIndex(isAnswer), 1);
  }

  /** The messages about one board, in order. */
  about(boardId: string): SocketMessage[] {
    return this.messages.filter(({ board_id }) => board_id === boardId);
  }

  /** The numbers of its events, in order. */
  seqs(boardId: string): unknown[] {
    return this.about(boardId).flatMap(({ seq, type }) => (type.includes('.') && seq !== undefined ? [seq] : []));
  }
}
