/** A user of a contestant and their boards, created through the API before the measurement. */
import { randomUUID } from 'node:crypto';
import { fillBoard, inParallel, type FilledBoard, type BoardSize } from '../../src/cli/seed/fillBoard.js';
import { requestJson } from './jsonRequest.js';

export { inParallel, type FilledBoard };

const PASSWORD = 'correct horse battery staple';

export class Account {
  readonly url: string;
  readonly email: string;
  readonly password = PASSWORD;
  readonly id: string;
  readonly token: string;

  constructor(url: string, email: string, id: string, token: string) {
    this.url = url;
    this.email = email;
    this.id = id;
    this.token = token;
  }

  static async open(url: string): Promise<Account> {
    const username = `user-${randomUUID()}`;
    const email = `${username}@example.org`;
    const registration = { email, username, password: PASSWORD };
    const { id } = await send<{ id: string }>(`${url}/auth/register`, 'POST', {}, registration);
    const login = await fetch(`${url}/auth/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: email, password: PASSWORD }),
    });
    if (login.status !== 200) throw new Error(`the login got ${login.status}`);
    const { access_token } = (await login.json()) as { access_token: string };
    return new Account(url, email, id, access_token);
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  async delete(path: string): Promise<void> {
    const { status, text } = await requestJson('DELETE', this.url + path, this.headers, undefined);
    if (status !== 204) throw new Error(`DELETE ${path} got ${status}: ${text}`);
  }

  get<Body>(path: string): Promise<Body> {
    return send<Body>(this.url + path, 'GET', this.headers);
  }

  post<Body>(path: string, body?: unknown): Promise<Body> {
    return send<Body>(this.url + path, 'POST', this.headers, body);
  }

  createBoard(size: BoardSize = {}): Promise<FilledBoard> {
    return fillBoard((path, body) => this.post(path, body), size);
  }

  createBoards(count: number, size?: BoardSize): Promise<FilledBoard[]> {
    return inParallel(count, () => this.createBoard(size));
  }
}

async function send<Body>(url: string, method: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Body> {
  const { status, text } = await requestJson(method, url, headers, body);
  if (status < 200 || status >= 300) throw new Error(`${method} ${url} got ${status}: ${text}`);
  return JSON.parse(text) as Body;
}
