import t from 'tap';
import * as v from 'valibot';
import { operation, answer } from '../../src/api/operation/operation.js';
import { operations } from '../../src/api/operations/table.js';
import { loadPage } from '../../src/http/pages/page.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { RawConnection } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { expectRefusal } from '../support/http/refusals.js';
import { newUser } from '../support/http/users.js';

const SOME_ID = '11111111-1111-4111-8111-111111111111';
const pathOf = (template: string): string => template.replace(/\{\w+\}/g, SOME_ID);

/** Headers that differ between two answers to the same request. */
const VOLATILE = ['x-request-id', 'date', 'connection', 'keep-alive'];

const { api, url } = await startTestApp(t);

function stableHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !VOLATILE.includes(name)));
}

t.test('HTTP1 every path is served at the root and, identically, under /api', async (t) => {
  const { token } = await newUser(api);
  for (const { method, path } of operations) {
    const atRoot = await api.request('OPTIONS', pathOf(path));
    const underApi = await api.request('OPTIONS', `/api${pathOf(path)}`);
    t.match(atRoot.headers.get('allow'), method, `${method} ${path} is allowed`);
    t.equal(underApi.headers.get('allow'), atRoot.headers.get('allow'), `/api${path} allows the same`);
    if (method !== 'GET') continue;
    const one = await api.request('GET', pathOf(path), { token });
    const other = await api.request('GET', `/api${pathOf(path)}`, { token });
    t.equal(other.status, one.status, `GET /api${path} has the same status`);
    t.equal(JSON.stringify(other.body), JSON.stringify(one.body), `GET /api${path} has the same body`);
    t.strictSame(stableHeaders(other.headers), stableHeaders(one.headers), `GET /api${path} has the same headers`);
  }
  for (const page of ['/docs', '/docs/start.js', '/redoc']) {
    const atRoot = await api.request<Buffer>('GET', page);
    const underApi = await api.request<Buffer>('GET', `/api${page}`);
    t.ok(atRoot.body.length > 0 && Buffer.compare(atRoot.body, underApi.body) === 0, page);
  }
});

t.test('HTTP1 HEAD is answered like GET, without the body', async (t) => {
  const { token, id } = await newUser(api);
  const paths = [...operations.filter(({ method }) => method === 'GET').map(({ path }) => pathOf(path)), `/users/${id}`, '/docs', '/redoc'];
  for (const path of paths) {
    const get = await api.request('GET', path, { token });
    const connection = await RawConnection.open(url);
    await connection.send(rawRequest(`HEAD ${path}`, [`Authorization: Bearer ${token}`]));
    const head = await connection.response({ head: true });
    t.equal(head.status, get.status, `HEAD ${path}`);
    const expected = { ...stableHeaders(get.headers) };
    const headers = Object.fromEntries(head.headers.filter(([name]) => !VOLATILE.includes(name)));
    t.strictSame(headers, expected, `HEAD ${path} has the headers of GET, its length among them`);
    // A body here would be read as the head of the next response.
    await connection.send(rawRequest('GET /nothing'));
    t.equal((await connection.response()).status, 404, `nothing follows HEAD ${path}`);
    connection.close();
  }
});

t.test('HTTP1 OPTIONS lists the methods of a path', async (t) => {
  const allowed = async (path: string): Promise<string | null> => {
    const { status, body, headers } = await api.request('OPTIONS', path);
    t.equal(status, 204, path);
    t.equal(body, undefined, `${path} has no body`);
    t.notOk(headers.has('content-length'), `${path} states no length`);
    return headers.get('allow');
  };
  t.equal(await allowed('/auth/me'), 'GET, HEAD, OPTIONS, PATCH');
  t.equal(await allowed('/auth/login'), 'OPTIONS, POST');
  t.equal(await allowed(`/users/${SOME_ID}`), 'GET, HEAD, OPTIONS');
  t.equal(await allowed('/docs'), 'GET, HEAD, OPTIONS');
  expectRefusal(t, await api.request('OPTIONS', '/nothing'), 404, 'Not Found');
});

t.test('HTTP1 an unknown path gets 404', async (t) => {
  const paths = [
    '/api',
    '/api/',
    '/nothing',
    '/auth',
    '/auth/me/',
    '//auth/me',
    '/AUTH/ME',
    '/%61uth/me',
    '/users/',
    '/api/api/health',
    '/docs/../docs',
    `/docs/${'x'.repeat(2000)}`,
    '/docs/%2e%2e/package.json',
    '/h%C3%A9alth',
  ];
  for (const path of paths) {
    // fetch would normalise the path.
    const connection = await RawConnection.open(url);
    await connection.send(rawRequest(`GET ${path}`));
    const { status, body } = await connection.response();
    t.equal(status, 404, path);
    t.strictSame(JSON.parse(body.toString()), { detail: 'Not Found' }, path);
    connection.close();
  }
});

t.test('HTTP1 a method that a path does not have gets 405 with the methods that it has', async (t) => {
  for (const [method, path, allow] of [
    ['DELETE', '/auth/me', 'GET, HEAD, OPTIONS, PATCH'],
    ['GET', '/auth/login', 'OPTIONS, POST'],
    ['HEAD', '/auth/login', 'OPTIONS, POST'],
    ['PUT', '/users', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/users', 'GET, HEAD, OPTIONS'],
    ['get', '/health', 'GET, HEAD, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const connection = await RawConnection.open(api.url);
    await connection.send(rawRequest(`${method} ${path}`));
    const { status, headers, body } = await connection.response({ head: method === 'HEAD' });
    t.equal(status, 405, `${method} ${path}`);
    t.strictSame(
      headers.filter(([name]) => name === 'allow'),
      [['allow', allow]],
      `${method} ${path}`,
    );
    if (method !== 'HEAD') t.strictSame(JSON.parse(body.toString()), { detail: 'Method Not Allowed' });
    connection.close();
  }
});

t.test('HTTP6 a fault of the service is a 500 without details, for its own request only', async (t) => {
  const faulty = operation({
    name: 'faulty',
    method: 'GET',
    path: '/faulty',
    access: 'public',
    tag: 'Test',
    summary: 'Fails',
    success: { status: 200, description: 'Never', schema: v.object({}) },
    handle: () => Promise.reject(new Error('the innermost secret')),
  });
  const sound = operation({
    name: 'sound',
    method: 'GET',
    path: '/sound',
    access: 'public',
    tag: 'Test',
    summary: 'Works',
    success: { status: 200, description: 'Always', schema: v.object({}) },
    handle: async () => answer({}),
  });
  const { url } = await startEdge(t, [faulty, sound]);
  const [failed, fine] = await Promise.all([fetch(`${url}/faulty`), fetch(`${url}/sound`)]);
  t.equal(failed.status, 500);
  t.strictSame(await failed.json(), { detail: 'Internal Server Error' });
  t.equal(fine.status, 200);
});

t.test('a page whose file is gone since the start is not found, and ends nothing', async (t) => {
  const pages = { find: (path: string) => (path === '/docs' ? loadPage('/nothing/here', { type: '', policy: '', cacheControl: '' }) : undefined) };
  const { url } = await startEdge(t, [], {}, { pages });
  for (const path of ['/docs', '/docs', '/other']) t.equal((await fetch(url + path)).status, 404, path);
});

t.test('HTTP7 every answer forbids type sniffing, framing, referrers and storing', async (t) => {
  const user = await newUser(api);
  const answers = {
    success: await api.request('GET', '/auth/me', { token: user.token }),
    login: await api.request('POST', '/auth/login', { form: { username: user.email, password: user.password } }),
    refusal: await api.request('GET', '/auth/me'),
    'unknown path': await api.request('GET', '/nothing'),
    'wrong method': await api.request('DELETE', '/auth/me'),
  };
  for (const [name, { headers }] of Object.entries(answers)) {
    t.equal(headers.get('x-content-type-options'), 'nosniff', name);
    t.equal(headers.get('referrer-policy'), 'no-referrer', name);
    t.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", name);
    t.equal(headers.get('cache-control'), 'no-store', name);
    t.equal(headers.get('content-type'), 'application/json', name);
  }
  const { headers } = await api.request('GET', '/docs');
  t.equal(headers.get('x-content-type-options'), 'nosniff', 'a page');
  t.match(headers.get('content-security-policy'), "default-src 'none'", 'a page');
  t.match(headers.get('content-security-policy'), "frame-ancestors 'none'", 'a page');
});

t.test('HTTP8 a request keeps the id it came with, or gets a new one', async (t) => {
  const idFor = async (...lines: string[]): Promise<string> => {
    const connection = await RawConnection.open(api.url);
    await connection.send(rawRequest('GET /nothing', lines));
    const { headers } = await connection.response();
    connection.close();
    const ids = headers.filter(([name]) => name === 'x-request-id').map(([, id]) => id);
    t.equal(ids.length, 1, 'one id');
    return ids[0] ?? '';
  };
  t.equal(await idFor('X-Request-Id: a-B_c.1:2'), 'a-B_c.1:2');
  t.equal(await idFor(`X-Request-Id: ${'a'.repeat(64)}`), 'a'.repeat(64));
  const own = /^[\da-f]{10}-[\da-z]+$/;
  const made = [await idFor(), await idFor()];
  for (const hostile of ['a'.repeat(65), '<script>', 'a b', 'é', '"}', '']) {
    made.push(await idFor(`X-Request-Id: ${hostile}`));
  }
  made.push(await idFor('X-Request-Id: one', 'X-Request-Id: two'));
  for (const id of made) t.match(id, own, 'made here');
  t.equal(new Set(made).size, made.length, 'no two are the same');
});

t.test('DOCS1 a documentation page is sent again only if it changed', async (t) => {
  const { headers } = await api.request('GET', '/docs');
  const etag = headers.get('etag') ?? '';
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const unchanged = await api.request('GET', '/docs', { headers: { 'if-none-match': known } });
    t.strictSame([unchanged.status, unchanged.body], [304, undefined], known);
    t.equal(unchanged.headers.get('etag'), etag);
  }
  t.equal((await api.request('GET', '/docs', { headers: { 'if-none-match': '"other"' } })).status, 200);
});
