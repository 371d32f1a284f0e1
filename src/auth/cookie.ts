/** The cookie that carries the access token for browsers. */

export const AUTH_COOKIE = 'svc_auth';

interface CookieScope {
  /** In production the cookie is never sent over plain HTTP. */
  readonly secure: boolean;
}

/** `maxAge` in seconds is the token's lifetime: a cookie that outlives its token would only cause refusals. */
export function authCookie(token: string, options: CookieScope & { readonly maxAge: number }): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${options.maxAge}`;
  return `${AUTH_COOKIE}=${token}; ${attributes}${options.secure ? '; Secure' : ''}`;
}

export function clearedAuthCookie(scope: CookieScope): string {
  return authCookie('', { ...scope, maxAge: 0 });
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
