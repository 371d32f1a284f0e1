import t from 'tap';
import { AUTH_COOKIE, authCookie, clearedCookies, readCookie, refreshCookies } from '../../src/auth/cookie.js';

t.test('AUTH14 the cookie covers the whole site, is HttpOnly, and lives as long as its token', async (t) => {
  t.equal(authCookie('a.b.c', { secure: false, maxAge: 3600 }), 'svc_auth=a.b.c; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600');
  t.equal(authCookie('a.b.c', { secure: true, maxAge: 60 }), 'svc_auth=a.b.c; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure');
});

t.test('AUTH14 clearing has the same scope and no lifetime', async (t) => {
  const cleared = [
    'svc_auth=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    'svc_refresh=; Path=/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=0',
    'svc_refresh=; Path=/api/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=0',
  ];
  t.strictSame(clearedCookies({ secure: false }), cleared);
  t.strictSame(
    clearedCookies({ secure: true }),
    cleared.map((cookie) => `${cookie}; Secure`),
  );
});

t.test('SESS6 the refresh token is sent to no other path, and by no other site', async (t) => {
  t.strictSame(refreshCookies('swr_x', { secure: true, maxAge: 60 }), [
    'svc_refresh=swr_x; Path=/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=60; Secure',
    'svc_refresh=swr_x; Path=/api/auth/refresh; HttpOnly; SameSite=Strict; Max-Age=60; Secure',
  ]);
});

t.test('AUTH13 a cookie is found among others', async (t) => {
  const headers: [string, string | undefined][] = [
    ['svc_auth=token', 'token'],
    ['theme=dark; svc_auth=token; lang=en', 'token'],
    ['theme=dark;svc_auth = token ;', 'token'],
    ['svc_auth="token"', 'token'],
    ['svc_auth="', '"'],
    ['svc_auth=a=b==', 'a=b=='],
    ['svc_auth=', ''],
    ['svc_auth=first; svc_auth=second', 'first'],
    ['not_svc_auth=other; svc_auth_2=other', undefined],
    ['SVC_AUTH=other', undefined],
    ['theme="svc_auth=x"', undefined],
    ['svc_auth', undefined],
    ['', undefined],
    ['; ;=;==;\u0000; svc_auth=token', 'token'],
  ];
  for (const [header, value] of headers) t.equal(readCookie(header, AUTH_COOKIE), value, JSON.stringify(header));
});
