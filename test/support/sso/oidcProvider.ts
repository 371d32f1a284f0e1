/** A real provider of OpenID Connect (`oidc-provider`) in this process, with pages for login and consent that a test drives. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { CLIENT_ID, CLIENT_SECRET } from './ssoClient.js';
import type { TestBrowser } from './testBrowser.js';

export interface ProviderAccount {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly preferred_username?: string;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly groups?: readonly string[];
}

export interface TestProvider {
  readonly issuer: string;
  /** By subject; a test may change it. */
  readonly accounts: Map<string, ProviderAccount>;
  /** Requests to its endpoint for tokens. */
  readonly redemptions: () => number;
  /** Logs in as the account from the page that `start` leads to, and returns the address that leads back. */
  logIn(browser: TestBrowser, start: string, subject: string): Promise<string>;
  /** The same for somebody who says no. */
  refuse(browser: TestBrowser, start: string): Promise<string>;
}

export async function startOidcProvider(t: Test, publicUrl: string): Promise<TestProvider> {
  let redemptions = 0;
  let answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async () => undefined;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/token') === true) redemptions += 1;
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, ProviderAccount>();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${publicUrl}/auth/sso/callback`],
        post_logout_redirect_uris: [`${publicUrl}/app/login`],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'given_name', 'family_name'],
      groups: ['groups'],
    },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', use: 'sig' }] },
    cookies: { keys: ['the key of the cookies of the provider'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => {
      const account = accounts.get(sub);
      return account === undefined ? undefined : { accountId: sub, claims: () => ({ sub, ...account }) };
    },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  });
  const serve = provider.callback();
  answer = async (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) await interact(provider, request, response);
    else await serve(request, response);
  };

  /** Each page asks for a login or a consent, until the provider leads back. */
  const walk = async (browser: TestBrowser, start: string, form: Readonly<Record<string, string>>): Promise<string> => {
    let next: string | null = start;
    while (next !== null && !next.startsWith(publicUrl)) {
      const isPage = next.startsWith(`${issuer}/interaction/`);
      const visit = await browser.visit(next, isPage ? { method: 'POST', form } : {});
      if (visit.location === null) throw new Error(`the provider answered ${visit.status}: ${visit.text}`);
      next = visit.location;
    }
    return next ?? '';
  };
  return {
    issuer,
    accounts,
    redemptions: () => redemptions,
    logIn: (browser, start, subject) => walk(browser, start, { subject }),
    refuse: (browser, start) => walk(browser, start, {}),
  };
}

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const subject = new URLSearchParams(await text(request)).get('subject');
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (subject === null) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
  } else if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: subject } });
  } else {
    const grant = new provider.Grant({ accountId: session?.accountId ?? subject, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
