/** Cards of one user that become due one after another, and the notices that come of it. */
import type { Api } from '../http/api.js';
import { newUser, type TestUser } from '../http/users.js';

const MINUTE_MS = 60_000;
/** Until the first of them, so that all are set before. */
const SOON_MS = 2_000;
/** Between two of them: some are due before a loss, some while nobody owns them, some after it. */
const STEP_MS = 40;

interface Page {
  readonly notifications: ReadonlyArray<{ readonly kind: string; readonly card_id: string }>;
}

export class DueCards {
  /** The service as it is reached now. */
  api: Api;
  boardId = '';
  readonly cards: string[] = [];
  readonly #user: TestUser;

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
    this.boardId = (await this.#send<{ id: string }>('POST /boards', { title: 'Dates' })).id;
    const column = await this.#send<{ id: string }>(`POST /boards/${this.boardId}/columns`, { title: 'To do' });
    this.cards.length = 0;
    for (let n = 0; n < count; n += 1) {
      const { id } = await this.#send<{ id: string }>(`POST /boards/${this.boardId}/columns/${column.id}/cards`, { title: `card ${n}` });
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
