/** Links to pages of the browser application. */
export type LinkedPage = 'invitation' | 'reset-password' | 'setup' | 'verify-email';

/** Outside of the application: a mail program posts to it. Only who reads the mail has the token, which does nothing else. */
export function unsubscribeLink(publicUrl: string, token: string): string {
  return `${publicUrl}/unsubscribe?token=${token}`;
}

/** The token is in the fragment, which no browser sends: it gets into no log of a server or proxy. */
export function pageLink(publicUrl: string, page: LinkedPage, token: string): string {
  return `${publicUrl}/app/${page}#token=${token}`;
}
