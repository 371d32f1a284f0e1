/** The browser that tests and benchmarks drive. */
import { lookFor, type Found } from './programs.js';

export const BROWSER_FLAGS: readonly string[] = [
  '--no-sandbox', // continuous integration runs as root in a container, where Chromium's sandbox cannot start
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // Chromium's own traffic, unrelated to the page.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser that playwright-core can drive. */
export function findChromium(): Promise<Found> {
  return lookFor(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], 'Debian: apt-get install chromium');
}
