/** Addresses of web pages, which are kept and never asked for. */

/** As long as browsers and proxies take. */
export const URL_CHARACTERS = 2_048;

export const LINK_TYPE = 'text/uri-list';

/** In its normal form, which has no spaces and no control characters. Null for anything but http and https. */
export function webAddress(text: string): string | null {
  // `URL.parse` is missing in older releases of Node 20.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > URL_CHARACTERS) return null;
  return url.href;
}
