/** A running service and the users of its boards. */
import type { Test } from 'tap';
import { startApp, type App } from '../../../src/app.js';
import type { Config, Environment } from '../../../src/settings/config.js';
import { Api } from '../http/api.js';
import { sharedApp, testConfig } from '../service/app.js';
import { temporaryFolder } from '../store/folder.js';
import { newUser, type TestUser } from '../http/users.js';

/** Four users: an owner and two members of every scenario's board, and a user who is not a member. */
export interface World {
  readonly app: App;
  readonly api: Api;
  readonly config: Config;
  readonly owner: TestUser;
  readonly member: TestUser;
  readonly helper: TestUser;
  readonly stranger: TestUser;
}

export async function startWorld(t: Test, overrides: Environment = {}): Promise<World> {
  const config = testConfig({ DATA_DIR: await temporaryFolder(t), ...overrides });
  const app = await startApp(config);
  t.teardown(() => app.close());
  return withUsers({ app, config, api: await Api.connect(app.url) });
}

/** In the service that files share. */
export async function enterWorld(): Promise<World> {
  return withUsers(await sharedApp());
}

async function withUsers({ app, api, config }: Pick<World, 'app' | 'api' | 'config'>): Promise<World> {
  const [owner, member, helper, stranger] = await Promise.all([newUser(api), newUser(api), newUser(api), newUser(api)]);
  return { app, api, config, owner, member, helper, stranger };
}

/** A request that must succeed. */
export async function send<Body>({ api }: World, as: TestUser, request: string, json?: unknown): Promise<Body> {
  const [method = '', path = ''] = request.split(' ');
  const { status, body } = await api.request<Body>(method, path, { token: as.token, json });
  if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
