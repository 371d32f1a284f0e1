/** Where a browser may go after a login: pages of ours, never another host. */

/** It is kept in a cookie, and the headers of a request have little room. */
export const MAX_RETURN_CHARACTERS = 300;

/** Any origin serves: an address that leaves it is refused. */
const BASE = 'http://own.invalid';

/**
 * Whether the text is `/`, or a path of the browser application. It must be exactly what browsers make of it, so that no
 * spelling (`//host`, backslashes, dot segments, control characters) means another address to them than to us.
 */
export function isReturnPath(text: string): boolean {
  if (text.length > MAX_RETURN_CHARACTERS || !URL.canParse(text, BASE)) return false;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  const isPage = pathname === '/' || pathname === '/app' || pathname.startsWith('/app/');
  return isPage && origin === BASE && text === pathname + search + hash && !text.includes('\\');
}
