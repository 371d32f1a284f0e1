/** Lets the page open while the service is away. Browsers allow it over HTTPS and on this machine. */

/** The part of trusted types that is used; the library of types does not know them. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): { createScriptURL(text: string): string };
}

const WORKER = '/app/worker.js';

export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('worker', { createScriptURL: () => WORKER });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL(WORKER) ?? WORKER, { scope: '/' });
  } catch (error) {
    // Refused by the browser, or the service is away: the page works without it.
    console.warn(error);
  }
}
