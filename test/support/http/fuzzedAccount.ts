/** Users in the state that an operation of accounts needs, and what a request of it may name: a fresh one for each request. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountTokens, type AccountTokenKind } from '../../../src/auth/accountTokens.js';
import { SETUP_TOKEN_FILE } from '../../../src/store/folder/setupToken.js';
import type { TestApp } from '../service/app.js';
import { hashOf } from '../service/operator.js';
import type { KnownIds } from './schemaArbitrary.js';
import { beginFactor, codeOf, turnOnFactor } from './secondFactor.js';
import { logInPair } from './sessions.js';
import { newRegistration, type TestUser } from './users.js';

export interface FuzzedAccount {
  readonly user: TestUser;
  readonly known: KnownIds;
  /** An address of its own: failures of others do not count for it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a request of the operation may name besides the fields of the user. */
type Preparation = (user: TestUser) => Promise<KnownIds>;

export class FuzzedAccounts {
  readonly #app: TestApp;
  readonly #preparations: Readonly<Record<string, Preparation>>;
  #count = 0;

  constructor(app: TestApp) {
    this.#app = app;
    const linkTo = (kind: Exclude<AccountTokenKind, 'new address'>) => async (user: TestUser) => ({ token: await this.#linkTo(kind, user) });
    const withFactor = async (user: TestUser): Promise<KnownIds> => ({ code: (await turnOnFactor(app.api, user)).recoveryCodes[0] ?? '' });
    this.#preparations = {
      'auth.resetPassword': linkTo('mailed reset'),
      'auth.verifyEmail': linkTo('verification'),
      'auth.confirmTotp': async (user) => ({ code: codeOf({ secret: await beginFactor(app.api, user) }) }),
      'auth.removeTotp': withFactor,
      'auth.renewRecoveryCodes': withFactor,
    };
  }

  async for(operation: string): Promise<FuzzedAccount> {
    const { api } = this.#app;
    this.#count += 1;
    const headers = { 'x-forwarded-for': `198.51.${this.#count >> 8}.${this.#count & 255}` };
    const registration = newRegistration();
    const { status, body } = await api.request<TestUser['user']>('POST', '/auth/register', { json: registration, headers });
    if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`);
    const pair = await logInPair(api, registration, headers);
    const user = { ...registration, user: body, id: body.id, token: pair.access_token };
    const { email, password } = user;
    const secrets = { password, current_password: password, refresh_token: pair.refresh_token };
    // Other operations would take names that are taken.
    const names: KnownIds = operation === 'auth.login' ? { username: email } : operation === 'auth.forgotPassword' ? { email } : {};
    return { user, headers, known: { ...secrets, ...names, ...(await this.#preparations[operation]?.(user)) } };
  }

  /** As long as there is no superuser. */
  setupToken(): string {
    return readFileSync(join(this.#app.config.dataDir, SETUP_TOKEN_FILE), 'utf8').trim();
  }

  async #linkTo(kind: Exclude<AccountTokenKind, 'new address'>, { id, email }: TestUser): Promise<string> {
    const { dataDir, jwtSecret } = this.#app.config;
    return new AccountTokens(jwtSecret).issue(kind, { id, email, hashed_password: await hashOf(dataDir, id) }, new Date());
  }
}
