import t from 'tap';
import type { ApiResponse } from '../support/api.js';
import { startTestApp } from '../support/app.js';
import { newUser } from '../support/users.js';

const OURS = 'https://boards.example.org';
const ALSO_OURS = 'http://localhost:5173';
const LISTED = { CORS_ORIGINS: `${OURS}, ${ALSO_OURS}` };

function corsHeaders({ headers }: ApiResponse): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));
}

function readable(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'ETag, Link, Accept-Ranges, Content-Range, Content-Disposition, Retry-After, X-Request-Id',
    vary: 'Origin',
  };
}

t.test('CORS1 a listed origin may read every answer, with credentials', async (t) => {
  const { api } = await startTestApp(t, LISTED);
  const { token } = await newUser(api);
  for (const origin of [OURS, ALSO_OURS]) {
    const headers = { origin };
    for (const [name, response] of Object.entries({
      'a success': await api.request('GET', '/auth/me', { token, headers }),
      'a refusal': await api.request('GET', '/auth/me', { headers }),
      'a path that is not': await api.request('GET', '/nothing', { headers }),
      'a page': await api.request('GET', '/docs', { headers }),
    })) {
      t.strictSame(corsHeaders(response), readable(origin), name);
    }
  }
});

t.test('CORS2 no other origin may', async (t) => {
  const { api } = await startTestApp(t, LISTED);
  const others = [
    'https://evil.example.org', 'http://boards.example.org', `${OURS}:8443`, `${OURS}.evil.example`, 'null', '*',
    `${OURS}, ${ALSO_OURS}`, OURS.toUpperCase(),
  ];
  for (const origin of others) {
    t.strictSame(corsHeaders(await api.request('GET', '/health', { headers: { origin } })), { vary: 'Origin' }, origin);
  }
  t.strictSame(corsHeaders(await api.request('GET', '/health')), {}, 'without an origin there is nothing to allow');
});

t.test('CORS3 a preflight from a listed origin is told the methods and headers', async (t) => {
  const { api } = await startTestApp(t, LISTED);
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

t.test('CORS4 a preflight from another origin is allowed nothing', async (t) => {
  const { api } = await startTestApp(t, LISTED);
  const headers = {
    origin: 'https://evil.example.org',
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization',
  };
  const preflight = await api.request('OPTIONS', '/auth/me', { headers });
  t.equal(preflight.status, 204);
  t.strictSame(corsHeaders(preflight), { vary: 'Origin' });
});

t.test('CORS5 the wildcard names the origin that asked, since credentials forbid a star', async (t) => {
  const { api } = await startTestApp(t, { CORS_ORIGINS: '*' });
  const origin = 'https://anywhere.example';
  t.strictSame(corsHeaders(await api.request('GET', '/health', { headers: { origin } })), readable(origin));
});

t.test('CORS6 the cookie changes nothing for a page that may not read the answer', async (t) => {
  const { api } = await startTestApp(t, LISTED);
  const user = await newUser(api);
  const { token } = user;
  const cookie = `svc_auth=${token}`;
  const status = async (method: string, headers: Record<string, string>, path = '/auth/logout'): Promise<number> =>
    (await api.request(method, path, { headers })).status;
  const foreign = 'https://evil.example.org';
  for (const site of ['cross-site', 'same-site']) {
    t.equal(await status('POST', { cookie, origin: foreign, 'sec-fetch-site': site }), 401, site);
    t.equal(await status('POST', { cookie, origin: OURS, 'sec-fetch-site': site }), 200, `${site}, but listed`);
    t.equal(await status('GET', { cookie, 'sec-fetch-site': site }, '/auth/me'), 200, `a link, ${site}`);
    const authorization = `Bearer ${token}`;
    t.equal(await status('POST', { authorization, origin: foreign, 'sec-fetch-site': site }), 200, 'no cookie is used');
  }
  const logIn = async (headers: Record<string, string>): Promise<string | null> => {
    const body = String(new URLSearchParams({ username: user.email, password: user.password }));
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    return (await api.request('POST', '/auth/login', { headers: form, body })).headers.get('set-cookie');
  };
  t.equal(await logIn({ origin: foreign, 'sec-fetch-site': 'cross-site' }), null, 'nor is one set by it');
  t.match(await logIn({ origin: OURS, 'sec-fetch-site': 'cross-site' }), /^svc_auth=/);
  t.equal(await status('POST', { cookie, origin: foreign, 'sec-fetch-site': 'same-origin' }), 200, 'our own page');
  t.equal(await status('POST', { cookie }), 200, 'no browser');
});
