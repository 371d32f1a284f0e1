/** A running service with users on one board, for tests of its sockets. */
import type { Test } from 'tap';
import type { Logger } from 'pino';
import type { Environment } from '../../../src/settings/config.js';
import type { ApiRequest } from '../http/api.js';
import { startTestApp, type TestApp } from '../service/app.js';
import { TestSocket, type SocketOptions } from './socket.js';
import { newUser, type TestUser } from '../http/users.js';

export class RealtimeBoard {
  readonly app: TestApp;
  readonly id: string;
  readonly owner: TestUser;
  readonly member: TestUser;

  private constructor(app: TestApp, id: string, owner: TestUser, member: TestUser) {
    this.app = app;
    this.id = id;
    this.owner = owner;
    this.member = member;
  }

  /** A board with an owner and one member, by default on a new service. */
  static async start(t: Test, settings: Environment = {}, log?: Logger): Promise<RealtimeBoard> {
    return RealtimeBoard.on(await startTestApp(t, settings, log));
  }

  static async on(app: TestApp): Promise<RealtimeBoard> {
    const [owner, member] = await Promise.all([newUser(app.api), newUser(app.api)]);
    const created = { token: owner.token, json: { title: 'Realtime' } };
    const { body } = await app.api.request<{ id: string }>('POST', '/boards', created);
    const board = new RealtimeBoard(app, body.id, owner, member);
    await board.invite(member);
    return board;
  }

  async invite(user: TestUser): Promise<void> {
    await this.do(`POST /boards/${this.id}/invite`, { json: { user_id: user.id } });
  }

  /** A request that must succeed; by default of the owner. */
  async do<Body = { id: string }>(request: string, options: ApiRequest = {}): Promise<Body> {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await this.app.api.request<Body>(method, path, { token: this.owner.token, ...options });
    if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  async addColumn(title = 'Column'): Promise<string> {
    return (await this.do(`POST /boards/${this.id}/columns`, { json: { title } })).id;
  }

  async addCard(columnId: string, title = 'Card'): Promise<string> {
    return (await this.do(`POST /boards/${this.id}/columns/${columnId}/cards`, { json: { title } })).id;
  }

  async addLabel(name: string): Promise<string> {
    return (await this.do(`POST /boards/${this.id}/labels`, { json: { name } })).id;
  }

  /**
   * A request with an event of half a megabyte: that of a column with full cards. The answer is as large and is not read,
   * because validating it is slow.
   */
  async largeChanges(): Promise<(n: number) => Promise<void>> {
    return this.#changesOf(50);
  }

  /** The same with an event of six megabytes: more than the system keeps for a connection. */
  async hugeChanges(): Promise<(n: number) => Promise<void>> {
    return this.#changesOf(600);
  }

  async #changesOf(count: number): Promise<(n: number) => Promise<void>> {
    const columnId = await this.addColumn();
    const cards = `POST /boards/${this.id}/columns/${columnId}/cards`;
    const json = { title: 'Large', description: 'x'.repeat(10_000) };
    for (let done = 0; done < count; done += 100) await Promise.all(range(1, Math.min(100, count)).map(() => this.do(cards, { json })));
    return async (n) => {
      const { status, body } = await fetch(`${this.app.url}/columns/${columnId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${this.owner.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Column ${n}` }),
      });
      await body?.cancel();
      if (status !== 200) throw new Error(`the change of a column answered ${status}`);
    };
  }

  /** The number of the latest event. */
  async seq(): Promise<number> {
    const { headers } = await this.app.api.request('GET', `/boards/${this.id}`, { token: this.owner.token });
    return Number(JSON.parse(headers.get('etag') ?? ''));
  }

  open(options: SocketOptions): Promise<TestSocket> {
    return TestSocket.open(this.app.url, this.id, options);
  }

  join(user: TestUser, options: Partial<SocketOptions> = {}): Promise<TestSocket> {
    return TestSocket.join(this.app.url, this.id, user, options);
  }

  async online(): Promise<string[]> {
    const path = `GET /ws/boards/${this.id}/presence`;
    const { online_users } = await this.do<{ online_users: Array<{ user_id: string }> }>(path);
    return online_users.map(({ user_id }) => user_id);
  }
}

/** The numbers from the first to the last, both included. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
