/** The cookies that carry the tokens for browsers. */

export const AUTH_COOKIE = 'svc_auth';
export const REFRESH_COOKIE = 'svc_refresh';

/** A login through the provider that has not returned yet. */
export const SSO_LOGIN_COOKIE = 'svc_sso_login';
/** Of a session that began so, for its logout there. */
export const SSO_SESSION_COOKIE = 'svc_sso';

/** No other request carries the refresh token. */
const REFRESH_PATHS = ['/auth/refresh', '/api/auth/refresh'] as const;

/** `PUBLIC_URL` and this are the redirect address. */
export const SSO_CALLBACK_PATH = '/auth/sso/callback';
const LOGOUT_PATHS = ['/auth/logout', '/api/auth/logout'] as const;

interface CookieScope {
  /** In production the cookie is never sent over plain HTTP. */
  readonly secure: boolean;
}

/** `maxAge` in seconds is the token's lifetime: a cookie that outlives its token would only cause refusals. */
type CookieLife = CookieScope & { readonly maxAge: number };

export function authCookie(token: string, life: CookieLife): string {
  return cookie(AUTH_COOKIE, token, '/', 'Lax', life);
}

/** One for each path. */
export function refreshCookies(token: string, life: CookieLife): string[] {
  return REFRESH_PATHS.map((path) => cookie(REFRESH_COOKIE, token, path, 'Strict', life));
}

/** The provider leads to us from another site, so `Strict` would keep the cookie back. */
export function ssoLoginCookie(sealed: string, life: CookieLife): string {
  return cookie(SSO_LOGIN_COOKIE, sealed, SSO_CALLBACK_PATH, 'Lax', life);
}

export function clearedSsoLoginCookie(scope: CookieScope): string {
  return ssoLoginCookie('', { ...scope, maxAge: 0 });
}

/** One for each path. */
export function ssoSessionCookies(sealed: string, life: CookieLife): string[] {
  return LOGOUT_PATHS.map((path) => cookie(SSO_SESSION_COOKIE, sealed, path, 'Strict', life));
}

export function clearedSsoSessionCookies(scope: CookieScope): string[] {
  return ssoSessionCookies('', { ...scope, maxAge: 0 });
}

/** Removes both tokens. */
export function clearedCookies(scope: CookieScope): string[] {
  const life = { ...scope, maxAge: 0 };
  return [authCookie('', life), ...refreshCookies('', life)];
}

function cookie(name: string, token: string, path: string, sameSite: 'Lax' | 'Strict', { maxAge, secure }: CookieLife): string {
  return `${name}=${token}; Path=${path}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
}

/**
 * The first cookie of that name: browsers send the most specific path first. Malformed pairs are skipped, because other
 * software on the same host may have set them.
 */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return unquote(pair.slice(equals + 1).trim());
  }
  return undefined;
}

function unquote(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
