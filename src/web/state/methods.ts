/** How one can come in, as the service says; read once a page. */
import { client } from './session.js';
import { say } from '../words/catalogue.js';

export type Methods = Awaited<ReturnType<typeof client.auth.methods>>;

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
  readonly href: string | null;
}

/** Why the page does not work at this address; null if it does. */
export function addressTrouble({ public_url, needs_https }: Methods): AddressTrouble | null {
  const here = location.pathname + location.search;
  if (public_url !== null && new URL(public_url).origin !== location.origin) {
    return {
      text: say('address.elsewhere', { address: public_url }),
      href: public_url + here,
    };
  }
  if (!needs_https || isSecureContext) return null;
  return {
    text: say('address.needsHttps'),
    href: `https://${location.host}${here}`,
  };
}
