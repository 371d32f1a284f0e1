/** The browser that tests and benchmarks drive. */
import { lookFor, type Found } from './programs.js';

export const BROWSER_FLAGS: readonly string[] = [
  '--no-sandbox', // continuous integration runs as root in a container, where Chromium's sandbox cannot start
  '--disable-gpu',
  '--host-resolver-rules=MAP *.test 127.0.0.1', // a service that is called by a name, as others call it
  '--disable-quic',
  // The pages that a tab shows one after another share a process: ten windows start 3 instead of 13.
  '--process-per-site',
  '--disable-site-isolation-trials',
  '--no-first-run',
  // Chromium's own traffic, unrelated to the page.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Runs in a page before its own scripts: its user wants to load little. */
export const SAVES_DATA = `Object.defineProperty(Navigator.prototype, 'connection', { get: () => ({ saveData: true }) });`;

/**
 * A browser that playwright-core can drive. The first is Chromium without its own windows, tabs and toolbars: the same pages cost a quarter less of the
 * processor.
 */
export function findChromium(): Promise<Found> {
  return lookFor(
    ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    'Debian: apt-get install chromium-headless-shell',
  );
}
