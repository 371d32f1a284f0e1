/** Cards of one user that become due one after another, and the notices that come of it. */
import { randomUUID } from 'node:crypto';
import type { Api } from '../http/api.js';
import { newUser, type TestUser } from '../http/users.js';
import { until } from '../until.js';
import type { ColumnJson } from './boardSnapshot.js';

const MINUTE_MS = 60_000;
/** Until the first of them, so that all are set before. */
const SOON_MS = 2_000;
/** Between two of them: some are due before a loss, some while nobody owns them, some after it. */
const STEP_MS = 40;

interface Page {
  readonly notifications: ReadonlyArray<{ readonly kind: string; readonly card_id: string; readonly title: string | null }>;
}

type Column = Pick<ColumnJson, 'id' | 'board_id'>;

export class DueCards {
  /** The service as it is reached now. */
  api: Api;
  boardId = '';
  readonly cards: string[] = [];
  readonly #user: TestUser;
  #column: Column = { id: '', board_id: '' };

  private constructor(api: Api, user: TestUser) {
    this.api = api;
    this.#user = user;
  }

  static async on(api: Api, count: number): Promise<DueCards> {
    const scene = new DueCards(api, await newUser(api));
    await scene.#make(count);
    return scene;
  }

  /** In any order. */
  async reminded(): Promise<string[]> {
    const { notifications } = await this.#send<Page>('GET /me/notifications?limit=200');
    return notifications.flatMap(({ kind, card_id }) => (kind === 'due' && this.cards.includes(card_id) ? [card_id] : []));
  }

  /** By the titles of their cards, whose ids change with a move. */
  async titles(): Promise<string[]> {
    const { notifications } = await this.#send<Page>('GET /me/notifications?limit=200');
    return notifications.flatMap(({ kind, title }) => (kind === 'due' && title !== null ? [title] : []));
  }

  /** Moves a card to another board and back, until it is to stay. While the service is away a move is repeated with its key. */
  async wander(card: string, other: Column, isOver: () => boolean): Promise<void> {
    for (let [id, moves] = [card, 0]; !isOver(); moves += 1) {
      const to = moves % 2 === 0 ? other : this.#column;
      const headers = { 'idempotency-key': randomUUID() };
      const json = { board_id: to.board_id, column_id: to.id };
      const move = async (): Promise<string | null> => {
        const { status, body } = await this.api.request<{ id: string }>('POST', `/cards/${id}/move`, { token: this.#user.token, json, headers });
        return status === 200 ? body.id : null;
      };
      id = await until(() => move().catch(() => null));
    }
  }

  async addColumn(): Promise<Column> {
    const board = await this.#send<{ id: string }>('POST /boards', { title: 'Dates' });
    return this.#send<Column>(`POST /boards/${board.id}/columns`, { title: 'To do' });
  }

  /** A reminder whose time has passed when it is set is none, so a machine that was too slow for the first of them begins anew. */
  async #make(count: number): Promise<void> {
    for (let soonMs = SOON_MS; ; soonMs *= 2) {
      await this.#makeCards(count);
      const first = Date.now() + soonMs;
      const due = (n: number): string => new Date(first + MINUTE_MS + n * STEP_MS).toISOString();
      await Promise.all(this.cards.map((id, n) => this.#send(`PATCH /cards/${id}`, { due_at: due(n), reminder_minutes: 1 })));
      if (Date.now() < first) return;
      await this.#send(`DELETE /boards/${this.boardId}`);
    }
  }

  async #makeCards(count: number): Promise<void> {
    this.#column = await this.addColumn();
    this.boardId = this.#column.board_id;
    this.cards.length = 0;
    for (let n = 0; n < count; n += 1) {
      const { id } = await this.#send<{ id: string }>(`POST /boards/${this.boardId}/columns/${this.#column.id}/cards`, { title: `card ${n}` });
      await this.#send(`PUT /cards/${id}/assignees`, { user_ids: [this.#user.id] });
      this.cards.push(id);
    }
  }

  async #send<Body>(request: string, json?: object): Promise<Body> {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await this.api.request<Body>(method, path, { token: this.#user.token, json });
    if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }
}
