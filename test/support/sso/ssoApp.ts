/** A service with single sign-on, and browsers that log in to it. */
import type { Test } from 'tap';
import type { Logger } from 'pino';
import type { Environment } from '../../../src/settings/config.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { startTestApp, type TestApp } from '../service/app.js';
import type { TestProvider } from './oidcProvider.js';
import { CLIENT_ID, CLIENT_SECRET } from './ssoClient.js';
import { codeFor, type FakeProvider } from './fakeProvider.js';
import { TestBrowser, type Visit } from './testBrowser.js';

/** Nothing listens there: browsers of a test find the service all the same. */
export const PUBLIC_URL = 'http://boards.test';

export interface SsoApp extends TestApp {
  browser(): TestBrowser;
}

export async function startSsoApp(t: Test, issuer: string, settings: Environment = {}, log?: Logger): Promise<SsoApp> {
  const sso = { PUBLIC_URL, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET };
  const app = await startTestApp(t, { ...sso, ...settings }, log);
  return { ...app, browser: () => new TestBrowser({ [PUBLIC_URL]: app.url }) };
}

/** The page of the provider for a new login. */
export async function beginLogin(browser: TestBrowser, query: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, location, text } = await browser.visit(`${PUBLIC_URL}/auth/sso/login?${new URLSearchParams(query).toString()}`);
  if (status !== 302 || location === null) throw new Error(`the login answered ${status}: ${text}`);
  return location;
}

/** A whole login at the real provider. Returns where the browser is led in the end. */
export async function logInAt(
  provider: TestProvider,
  browser: TestBrowser,
  subject: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  return browser.visit(await provider.logIn(browser, await beginLogin(browser, query), subject));
}

/** The same at the fake one, which asks nobody. */
export async function logInAtFake(
  provider: FakeProvider,
  browser: TestBrowser,
  claims: FakeProvider['claims'],
  query: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  provider.claims = claims;
  return browser.visit(callbackFor(await beginLogin(browser, query)));
}

/** Where the provider would lead back to after a login. */
export function callbackFor(authorizationUrl: string, changes: Readonly<Record<string, string>> = {}): string {
  const state = new URL(authorizationUrl).searchParams.get('state') ?? '';
  return `${PUBLIC_URL}/auth/sso/callback?${new URLSearchParams({ state, code: codeFor(authorizationUrl), ...changes }).toString()}`;
}

/** The user whose session the browser has; null if there is none. */
export async function whoIs(browser: TestBrowser): Promise<PublicUser | null> {
  const { status, text } = await browser.visit(`${PUBLIC_URL}/auth/me`);
  return status === 200 ? (JSON.parse(text) as PublicUser) : null;
}

/** The error with which a login ended at the login page; null if it did not. */
export function errorOf({ location }: Visit): string | null {
  return location?.startsWith(`${PUBLIC_URL}/app/login#error=`) === true ? (location.split('=').at(-1) ?? '') : null;
}
