import { lookFor, type Found } from './programs.js';

/** A browser that playwright-core can drive. */
export function findChromium(): Promise<Found> {
  return lookFor(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], 'Debian: apt-get install chromium');
}
