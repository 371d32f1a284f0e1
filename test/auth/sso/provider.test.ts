import t, { type Test } from 'tap';
import { Provider } from '../../../src/auth/sso/provider.js';
import { rejectionOf } from '../../support/rejection.js';
import { startFakeProvider, type FakeProvider } from '../../support/sso/fakeProvider.js';

const HOUR_MS = 3_600_000;

async function start(t: Test, options: Partial<ConstructorParameters<typeof Provider>[0]> = {}) {
  const fake = await startFakeProvider(t, 'boards');
  const clock = { now: 0 };
  const troubles: string[] = [];
  const provider = new Provider({
    issuer: fake.issuer,
    clientId: 'boards',
    clientSecret: 'a secret: with + signs',
    redirectUri: 'http://boards.test/auth/sso/callback',
    scopes: 'openid email',
    groupsClaim: 'groups',
    needsGroups: false,
    onTrouble: (problem) => troubles.push(problem),
    now: () => clock.now,
    ...options,
  });
  return { fake, clock, troubles, provider };
}

const discoveries = ({ requests }: FakeProvider): number => requests.filter((path) => path.startsWith('/.well-known/')).length;

async function redeem(provider: Provider): ReturnType<Provider['redeem']> {
  const { url: _url, ...proofs } = await provider.begin();
  return provider.redeem(new URLSearchParams({ state: proofs.state, code: proofs.nonce }), proofs);
}

t.test('SSO13 the provider is discovered with the first login, once for all of an hour', async (t) => {
  const { fake, clock, provider } = await start(t);
  t.equal(discoveries(fake), 0, 'not at the start');
  await Promise.all(Array.from({ length: 20 }, () => provider.begin()));
  t.equal(discoveries(fake), 1);
  clock.now = HOUR_MS - 1;
  await provider.begin();
  t.equal(discoveries(fake), 1);
  clock.now = HOUR_MS;
  await provider.begin();
  t.equal(discoveries(fake), 2);
});

t.test('SSO13 a provider that is away is asked again after five seconds, not by every visitor', async (t) => {
  const { fake, clock, troubles, provider } = await start(t);
  const path = '/.well-known/openid-configuration';
  fake.answers.set(path, (_request, response) => response.writeHead(503).end());
  for (let count = 0; count < 10; count += 1) t.match(await rejectionOf(provider.begin()), { code: 'unavailable', retryAfter: 5 });
  await Promise.all(Array.from({ length: 10 }, () => rejectionOf(provider.begin())));
  t.equal(discoveries(fake), 1);
  t.strictSame(
    troubles.map((text) => text.endsWith('it answered 503')),
    [true],
    String(troubles),
  );
  fake.answers.delete(path);
  clock.now = 4_999;
  t.match(await rejectionOf(provider.begin()), { code: 'unavailable' });
  clock.now = 5_000;
  t.match(await provider.begin(), { url: /^http/ });
});

t.test('SSO13 a provider whose metadata is incomplete is not used, and the operator learns what is missing', async (t) => {
  const { fake, troubles, provider } = await start(t);
  fake.metadata = { token_endpoint: undefined, jwks_uri: undefined };
  t.match(await rejectionOf(provider.begin()), { code: 'unavailable' });
  t.strictSame(troubles, ['its metadata lacks token_endpoint, jwks_uri']);
});

t.test('SSO13 a provider that went away after its discovery is used as it was', async (t) => {
  const { fake, clock, provider } = await start(t);
  await provider.begin();
  fake.answers.set('/.well-known/openid-configuration', (_request, response) => response.destroy());
  clock.now = HOUR_MS;
  t.match(await provider.begin(), { url: /^http/ });
  await provider.begin();
  t.equal(discoveries(fake), 2, 'and is not asked for a while');
});

t.test('SSO13 a provider that fails while a code is redeemed is unavailable; one that refuses is not', async (t) => {
  const { fake, provider } = await start(t);
  fake.answers.set('/token', (_request, response) => response.writeHead(502).end());
  t.match(await rejectionOf(redeem(provider)), { code: 'unavailable' });
  fake.answers.set('/token', (_request, response) => response.destroy());
  t.match(await rejectionOf(redeem(provider)), { code: 'unavailable' });
  fake.answers.set('/token', (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
  });
  t.match(await rejectionOf(redeem(provider)), { name: 'SsoRefusal', reason: 'failed', message: 'the provider answered invalid_client' });
});

t.test('SSO14 an answer that is too large is not read', async (t) => {
  const { fake, provider } = await start(t);
  fake.answers.set('/token', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const write = (): void => {
      if (!response.destroyed) response.write(chunk, write);
    };
    write();
  });
  t.match(await rejectionOf(redeem(provider)), { code: 'unavailable' });
});

t.test('SSO14 an answer that leads elsewhere is not followed', async (t) => {
  const { fake, provider } = await start(t);
  fake.answers.set('/token', (_request, response) => response.writeHead(307, { location: `${fake.issuer}/elsewhere` }).end());
  t.match(await rejectionOf(redeem(provider)), { name: 'SsoRefusal', reason: 'failed' });
  t.notOk(fake.requests.includes('/elsewhere'));
});

t.test('SSO2 the client shows its secret as the provider wants it', async (t) => {
  const shown = async (metadata: object, clientSecret: string | null): Promise<{ header: string | undefined; body: string }> => {
    const { fake, provider } = await start(t, { clientSecret });
    fake.metadata = metadata as FakeProvider['metadata'];
    const seen = { header: undefined as string | undefined, body: '' };
    fake.answers.set('/token', (request, response) => {
      seen.header = request.headers.authorization;
      request.on('data', (chunk) => (seen.body += String(chunk))).on('end', () => response.writeHead(400).end());
    });
    await rejectionOf(redeem(provider));
    return seen;
  };
  t.match(await shown({}, 'a secret'), { header: /^Basic / });
  const post = await shown({ token_endpoint_auth_methods_supported: ['client_secret_post'] }, 'a secret');
  t.match(post, { header: undefined, body: /client_secret=a\+secret/ });
  const none = await shown({}, null);
  t.match(none, { header: undefined, body: /client_id=boards/ });
  t.notMatch(none.body, /client_secret/);
  for (const { body } of [post, none]) t.match(body, /code_verifier=[\w-]{43}/);
});

t.test('SSO10 what the token does not say is read from the user info of the same subject', async (t) => {
  const { fake, provider } = await start(t, { needsGroups: true });
  fake.metadata = { userinfo_endpoint: `${fake.issuer}/me` };
  const info = { sub: 'ann', email: 'info@example.org', email_verified: true, groups: ['admins'] };
  const answer = (fields: object): void => {
    fake.answers.set('/me', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(fields));
    });
  };
  answer(info);
  t.match(await redeem(provider), { profile: { email: 'info@example.org', isEmailVerified: true, groups: ['admins'] } });
  fake.claims = { email: 'token@example.org', email_verified: false };
  t.match(await redeem(provider), { profile: { email: 'token@example.org', isEmailVerified: false, groups: ['admins'] } }, 'the token counts first');
  answer({ ...info, sub: 'somebody else' });
  t.match(await rejectionOf(redeem(provider)), { name: 'SsoRefusal', reason: 'failed' });
  const asked = fake.requests.filter((path) => path === '/me').length;
  fake.claims = { email: 'token@example.org', groups: [] };
  await redeem(provider);
  t.equal(fake.requests.filter((path) => path === '/me').length, asked, 'a complete token needs no user info');
});

t.test('SSO13 a provider without a page for logouts has none', async (t) => {
  const { fake, provider } = await start(t);
  t.equal(await provider.logoutUrl('token', 'http://boards.test/app/login'), null);
  const other = await start(t);
  other.fake.metadata = { end_session_endpoint: `${fake.issuer}/logout?a=b` };
  const url = new URL((await other.provider.logoutUrl(null, 'http://boards.test/app/login')) ?? '');
  t.strictSame(Object.fromEntries(url.searchParams), { a: 'b', client_id: 'boards', post_logout_redirect_uri: 'http://boards.test/app/login' });
});
