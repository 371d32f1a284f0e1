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
    return notifications.flatMap(({ kind, card_id }) => (kind === 'due' ? [card_id] : []));
  }

  async #make(count: number): Promise<void> {
    this.boardId = (await this.#send<{ id: string }>('POST /boards', { title: 'Dates' })).id;
    const column = await this.#send<{ id: string }>(`POST /boards/${this.boardId}/columns`, { title: 'To do' });
    for (let n = 0; n < count; n += 1) {
      const { id } = await this.#send<{ id: string }>(`POST /boards/${this.boardId}/columns/${column.id}/cards`, { title: `card ${n}` });
      await this.#send(`PUT /cards/${id}/assignees`, { user_ids: [this.#user.id] });
      this.cards.push(id);
    }
    const first = Date.now() + MINUTE_MS + SOON_MS;
    for (const [n, id] of this.cards.entries()) {
      await this.#send(`PATCH /cards/${id}`, { due_at: new Date(first + n * STEP_MS).toISOString(), reminder_minutes: 1 });
    }
  }

  async #send<Body>(request: string, json?: object): Promise<Body> {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await this.api.request<Body>(method, path, { token: this.#user.token, json });
    if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }
}
