/** A board with an owner, and webhooks that may lead to this machine. */
import type { Test } from 'tap';
import { startTestApp, type TestApp } from '../service/app.js';
import { newUser, type TestUser } from '../http/users.js';
import type { Api, ApiResponse } from '../http/api.js';
import { until } from '../until.js';

export interface HookJson {
  readonly id: string;
  readonly board_id: string | null;
  readonly url: string;
  readonly secret?: string;
  readonly state: string;
  readonly paused_because: string | null;
  readonly is_enabled: boolean;
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  readonly created_by: string;
}

export interface DeliveryJson {
  readonly id: string;
  readonly type: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly attempt: number;
}

export const ALLOWED = { WEBHOOK_ALLOW: '127.0.0.0/8' };

export class HookScene {
  readonly api: Api;
  readonly owner: TestUser;
  readonly boardId: string;

  constructor(api: Api, owner: TestUser, boardId: string) {
    this.api = api;
    this.owner = owner;
    this.boardId = boardId;
  }

  static async start(t: Pick<Test, 'teardown'>, settings: Record<string, string> = {}): Promise<HookScene & { readonly app: TestApp }> {
    const app = await startTestApp(t, { ...ALLOWED, ...settings });
    return Object.assign(await HookScene.on(app.api), { app });
  }

  static async on(api: Api): Promise<HookScene> {
    const owner = await newUser(api);
    const { body } = await api.request<{ id: string }>('POST', '/boards', { token: owner.token, json: { title: 'Plans' } });
    return new HookScene(api, owner, body.id);
  }

  async send<Body>(what: string, json?: object, token = this.owner.token): Promise<ApiResponse<Body>> {
    const [method = '', path = ''] = what.split(' ');
    return this.api.request<Body>(method, path, { token, ...(json === undefined ? {} : { json }) });
  }

  async hook(fields: object): Promise<HookJson & { readonly secret: string }> {
    const { status, body } = await this.send<HookJson & { secret: string }>(`POST /boards/${this.boardId}/webhooks`, fields);
    if (status !== 201) throw new Error(`the webhook was refused with ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** One event. */
  async rename(title: string): Promise<void> {
    const { status } = await this.send(`PATCH /boards/${this.boardId}`, { title });
    if (status !== 200) throw new Error(`renaming answered ${status}`);
  }

  async shown(id: string): Promise<HookJson> {
    return (await this.send<HookJson>(`GET /webhooks/${id}`)).body;
  }

  async deliveries(id: string): Promise<readonly DeliveryJson[]> {
    return (await this.send<DeliveryJson[]>(`GET /webhooks/${id}/deliveries`)).body;
  }

  async untilState(id: string, state: string): Promise<HookJson> {
    return until(
      async () => {
        const shown = await this.shown(id);
        return shown.state === state ? shown : null;
      },
      () => this.shown(id),
      50,
    );
  }
}
