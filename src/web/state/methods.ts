/** How one can come in, as the service says; read once a page. */
import { client } from './session.js';
import { say } from '../words/catalogue.js';

export type Methods = Awaited<ReturnType<typeof client.auth.methods>>;

/** A link may carry its token behind the #, which leaves the address as soon as the token is read. */
const LOADED = { path: location.pathname, hash: location.hash } as const;

let loading: Promise<Methods> | null = null;

export function loadMethods(): Promise<Methods> {
  loading ??= client.auth.methods().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** They have changed. */
export function forgetMethods(): void {
  loading = null;
}

export interface AddressTrouble {
  readonly text: string;
  /** Where this page works. */
  readonly address: string;
  /** The same, with the token of a link, which is not shown. */
  readonly href: string;
}

/** Why the page does not work at this address; null if it does. */
export function addressTrouble({ public_url, needs_https }: Methods): AddressTrouble | null {
  const here = location.pathname + location.search;
  if (public_url !== null && new URL(public_url).origin !== location.origin) {
    return troubleAt(public_url + here, say('address.elsewhere', { address: public_url }));
  }
  if (!needs_https || isSecureContext) return null;
  return troubleAt(`https://${location.host}${here}`, say('address.needsHttps'));
}

function troubleAt(address: string, text: string): AddressTrouble {
  return { text, address, href: location.pathname === LOADED.path ? address + LOADED.hash : address };
}
