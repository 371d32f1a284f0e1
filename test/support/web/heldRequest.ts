/** Holds the requests of a window that match, so that a test decides what happens before their answer. */
import type { Page } from 'playwright-core';

export interface HeldRequests {
  /** Resolves when a request is held. */
  readonly arrived: Promise<void>;
  /** Sends it, and lets all later ones pass. */
  release(): void;
}

export async function holdRequests(page: Page, method: string, path: string): Promise<HeldRequests> {
  let arrive = (): void => undefined;
  let release = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (route.request().method() === method) {
        arrive();
        await released;
      }
      await route.continue();
    },
  );
  return { arrived, release };
}
