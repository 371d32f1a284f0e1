import t from 'tap';
import type { ApiResponse } from '../support/http/api.js';
import { startTestApp } from '../support/service/app.js';
import { newUser } from '../support/http/users.js';

const OURS = 'https://boards.example.org';
const ALSO_OURS = 'http://localhost:5173';
const LISTED = { CORS_ORIGINS: `${OURS}, ${ALSO_OURS}` };

const { api, url } = await startTestApp(t, LISTED);

function corsHeaders({ headers }: ApiResponse): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));
}

function readable(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers':
      'ETag, Link, Accept-Ranges, Content-Range, Content-Disposition, Retry-After, X-Request-Id, Board-Position, Idempotency-Replayed',
    vary: 'Origin',
  };
}

t.test('CORS1 a listed origin can read every answer, with credentials', async (t) => {
  const { token } = await newUser(api);
  for (const origin of [OURS, ALSO_OURS]) {
    const headers = { origin };
    for (const [name, response] of Object.entries({
      'a success': await api.request('GET', '/auth/me', { token, headers }),
      'a refusal': await api.request('GET', '/auth/me', { headers }),
      'a path that is not': await api.request('GET', '/nothing', { headers }),
      'a page': await api.request('GET', '/docs', { headers }),
    })) {
      // What is compressed once for all depends on one more header.
      const vary = name === 'a page' ? 'Origin, Accept-Encoding' : 'Origin';
      t.strictSame(corsHeaders(response), { ...readable(origin), vary }, name);
    }
  }
});

t.test('CORS1 no other origin can read an answer', async (t) => {
  const others = [
    'https://evil.example.org',
    'http://boards.example.org',
    `${OURS}:8443`,
    `${OURS}.evil.example`,
    'null',
    '*',
    `${OURS}, ${ALSO_OURS}`,
    OURS.toUpperCase(),
  ];
  for (const origin of others) {
    t.strictSame(corsHeaders(await api.request('GET', '/health', { headers: { origin } })), { vary: 'Origin' }, origin);
  }
  t.strictSame(corsHeaders(await api.request('GET', '/health')), {}, 'without an origin there is nothing to allow');
});

t.test('CORS1 a preflight from a listed origin gets the methods and headers', async (t) => {
  const headers = {
    origin: OURS,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type',
  };
  for (const path of ['/auth/me', '/api/auth/me']) {
    const preflight = await api.request('OPTIONS', path, { headers });
    t.equal(preflight.status, 204, path);
    t.strictSame(corsHeaders(preflight), {
      ...readable(OURS),
      'access-control-allow-methods': 'GET, HEAD, OPTIONS, PATCH',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-max-age': '600',
    });
  }
});

t.test('CORS1 a preflight from another origin is allowed nothing', async (t) => {
  const headers = {
    origin: 'https://evil.example.org',
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization',
  };
  const preflight = await api.request('OPTIONS', '/auth/me', { headers });
  t.equal(preflight.status, 204);
  t.strictSame(corsHeaders(preflight), { vary: 'Origin' });
});

t.test('CORS1 the wildcard echoes the requesting origin, because credentials forbid a star', async (t) => {
  const { api } = await startTestApp(t, { CORS_ORIGINS: '*' });
  const origin = 'https://anywhere.example';
  t.strictSame(corsHeaders(await api.request('GET', '/health', { headers: { origin } })), readable(origin));
});

t.test('CORS6 a page that may not read the answer can change nothing with the cookie', async (t) => {
  const user = await newUser(api);
  const { token } = user;
  const cookie = `svc_auth=${token}`;
  const status = async (method: string, headers: Record<string, string>, path = '/auth/sessions'): Promise<number> =>
    (await api.request(method, path, { headers })).status;
  const foreign = 'https://evil.example.org';
  for (const site of ['cross-site', 'same-site']) {
    t.equal(await status('DELETE', { cookie, origin: foreign, 'sec-fetch-site': site }), 401, site);
    t.equal(await status('DELETE', { cookie, origin: OURS, 'sec-fetch-site': site }), 204, `${site}, but listed`);
    t.equal(await status('GET', { cookie, 'sec-fetch-site': site }, '/auth/me'), 200, `a link, ${site}`);
    const authorization = `Bearer ${token}`;
    t.equal(await status('DELETE', { authorization, origin: foreign, 'sec-fetch-site': site }), 204, 'no cookie is used');
  }
  const logIn = async (headers: Record<string, string>): Promise<string | null> => {
    const body = String(new URLSearchParams({ username: user.email, password: user.password }));
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    return (await api.request('POST', '/auth/login', { headers: form, body })).headers.get('set-cookie');
  };
  t.equal(await logIn({ origin: foreign, 'sec-fetch-site': 'cross-site' }), null, 'nor is one set by it');
  t.match(await logIn({ origin: OURS, 'sec-fetch-site': 'cross-site' }), /^svc_auth=/);
  t.equal(await status('DELETE', { cookie, origin: foreign, 'sec-fetch-site': 'same-origin' }), 204, 'our own page');
  t.equal(await status('DELETE', { cookie }), 204, 'no browser');
});

t.test('CORS10 without Sec-Fetch-Site the origin of a page is compared with the address of the service', async (t) => {
  const user = await newUser(api);
  const cookie = `svc_auth=${user.token}`;
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await api.request('DELETE', '/auth/sessions', { headers: { cookie, ...headers } })).status;
  const { port } = new URL(url);
  const foreign = [
    'https://evil.example.org',
    'null',
    'file://',
    'not an origin',
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    'http://127.0.0.1',
    `http://evil.example@127.0.0.2:${port}`,
  ];
  for (const origin of foreign) t.equal(await status({ origin }), 401, origin);
  t.equal(await status({ origin: url }), 204, 'our own');
  t.equal(await status({ origin: OURS }), 204, 'a listed one');
  t.equal(await status({}), 204, 'no browser');

  const proxied = { 'x-forwarded-host': 'boards.example.net', 'x-forwarded-proto': 'https' };
  t.equal(await status({ origin: 'https://boards.example.net', ...proxied }), 204, 'the address that the proxy reports');
  t.equal(await status({ origin: 'https://boards.example.net:443', ...proxied }), 204, 'the port of the scheme');
  t.equal(await status({ origin: 'http://boards.example.net', ...proxied }), 401, 'another scheme');
  t.equal(await status({ origin: 'https://boards.example.net:8443', ...proxied }), 401, 'another port');
  const claimed = { ...proxied, 'x-forwarded-host': 'evil.example, boards.example.net' };
  t.equal(await status({ origin: 'https://evil.example', ...claimed }), 401, 'an address that the client sent to the proxy');

  const body = String(new URLSearchParams({ username: user.email, password: user.password }));
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example.org' };
  const login = await api.request('POST', '/auth/login', { headers: form, body });
  t.strictSame([login.status, login.headers.get('set-cookie')], [200, null], 'a foreign page cannot log its visitor in');
});

t.test('CORS10 the address that an untrusted proxy reports is ignored', async (t) => {
  const { api } = await startTestApp(t, { ...LISTED, TRUSTED_PROXIES: '192.0.2.1' });
  const { token } = await newUser(api);
  const headers = { cookie: `svc_auth=${token}`, origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' };
  t.equal((await api.request('DELETE', '/auth/sessions', { headers })).status, 401);
});

t.test('CORS6 with the wildcard no foreign page can change anything with the cookie', async (t) => {
  const { api } = await startTestApp(t, { CORS_ORIGINS: '*' });
  const { token } = await newUser(api);
  const cookie = `svc_auth=${token}`;
  const origin = 'https://anywhere.example';
  for (const site of ['cross-site', 'same-site', '']) {
    const headers = { origin, ...(site === '' ? {} : { 'sec-fetch-site': site }) };
    const named = site || 'unsaid';
    t.equal((await api.request('DELETE', '/auth/sessions', { headers: { cookie, ...headers } })).status, 401, named);
    t.equal((await api.request('DELETE', '/auth/sessions', { token, headers })).status, 204, `${named}, with a token`);
    t.equal((await api.request('GET', '/auth/me', { headers: { cookie, ...headers } })).status, 200, `${named}, a read`);
  }
});

t.test('CORS10 an origin decides whatever `Sec-Fetch-Site` says, except `same-origin`, which browsers let no page forge', async (t) => {
  const { token } = await newUser(api);
  const origins = { none: '', own: url, listed: OURS, foreign: 'https://evil.example.org', opaque: 'null', garbled: 'not an origin' };
  const all = Object.keys(origins) as (keyof typeof origins)[];
  /** Which origins may change something with the cookie. */
  const trusted: Readonly<Record<string, readonly (keyof typeof origins)[]>> = {
    '': ['none', 'own', 'listed'],
    none: ['none', 'own', 'listed'],
    'same-origin': all,
    'same-site': ['listed'],
    'cross-site': ['listed'],
    None: ['listed'],
    'none, none': ['listed'],
    'same-origin, cross-site': ['listed'],
    nonsense: ['listed'],
  };
  for (const [site, expected] of Object.entries(trusted)) {
    for (const name of all) {
      const headers = {
        cookie: `svc_auth=${token}`,
        ...(site === '' ? {} : { 'sec-fetch-site': site }),
        ...(name === 'none' ? {} : { origin: origins[name] }),
      };
      const { status } = await api.request('DELETE', '/auth/sessions', { headers });
      t.equal(status, expected.includes(name) ? 204 : 401, `${site || 'unsaid'} with the origin: ${name}`);
    }
  }
});
