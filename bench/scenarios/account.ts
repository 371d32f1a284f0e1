/** A user of a contestant and their boards, created through the API before the measurement. */
import { randomUUID } from 'node:crypto';
import { requestJson } from './jsonRequest.js';

export interface FurnishedBoard {
  readonly id: string;
  readonly columns: readonly string[];
  readonly cards: readonly string[];
}

interface Furnishing {
  readonly columns?: number;
  readonly cards?: number;
}

/** Enough to fill a group commit. */
const REQUESTS_AT_ONCE = 32;
/** One card in this many has a label. */
const LABEL_EVERY = 10;
const PASSWORD = 'correct horse battery staple';
const DESCRIPTION =
  'Customers see the old price for a few seconds after it changed. Find out which cache it comes from, and whether ' +
  'it may be asked to forget it when the price is saved.';

export class Account {
  readonly url: string;
  readonly email: string;
  readonly password = PASSWORD;
  readonly id: string;
  readonly token: string;

  private constructor(url: string, email: string, id: string, token: string) {
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

  get<Body>(path: string): Promise<Body> {
    return send<Body>(this.url + path, 'GET', this.headers);
  }

  post<Body>(path: string, body?: unknown): Promise<Body> {
    return send<Body>(this.url + path, 'POST', this.headers, body);
  }

  async createBoard({ columns = 1, cards = 0 }: Furnishing = {}): Promise<FurnishedBoard> {
    const { id } = await this.post<{ id: string }>('/boards', { title: 'A board', description: DESCRIPTION });
    const columnIds: string[] = [];
    for (let n = 1; n <= columns; n += 1) {
      const column = await this.post<{ id: string }>(`/boards/${id}/columns`, { title: `Column ${n}` });
      columnIds.push(column.id);
    }
    const board = { id, columns: columnIds, cards: [] };
    return cards === 0 ? board : { ...board, cards: await this.#createCards(board, cards) };
  }

  createBoards(count: number, furnishing?: Furnishing): Promise<FurnishedBoard[]> {
    return inParallel(count, () => this.createBoard(furnishing));
  }

  #createLabel(boardId: string): Promise<{ id: string }> {
    return this.post(`/boards/${boardId}/labels`, { name: 'urgent', color: '#dc2626' });
  }

  async #createCards({ id, columns }: FurnishedBoard, count: number): Promise<string[]> {
    const label = count < LABEL_EVERY ? null : await this.#createLabel(id);
    return inParallel(count, async (n) => {
      const path = `/boards/${id}/columns/${columns[n % columns.length]}/cards`;
      const card = await this.post<{ id: string }>(path, { title: `Card ${n}`, description: DESCRIPTION });
      if (label !== null && n % LABEL_EVERY === 0) await this.post(`/cards/${card.id}/labels/${label.id}`);
      return card.id;
    });
  }
}

/** Some at a time. The results are in the order of their numbers. */
export async function inParallel<Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runLane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: Math.min(count, REQUESTS_AT_ONCE) }, runLane));
  return results;
}

async function send<Body>(url: string, method: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Body> {
  const { status, text } = await requestJson(method, url, headers, body);
  if (status < 200 || status >= 300) throw new Error(`${method} ${url} got ${status}: ${text}`);
  return JSON.parse(text) as Body;
}
