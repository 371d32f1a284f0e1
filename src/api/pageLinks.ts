/** Links to pages of the browser application. */
export type LinkedPage = 'invitation' | 'reset-password' | 'setup' | 'verify-email';

/** The token is in the fragment, which no browser sends: it gets into no log of a server or proxy. */
export function pageLink(publicUrl: string, page: LinkedPage, token: string): string {
  return `${publicUrl}/app/${page}#token=${token}`;
}
