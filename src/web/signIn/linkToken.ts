/** The token of a link is in its fragment, which browsers send to no server. It is read once, and leaves the address. */
export function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}
