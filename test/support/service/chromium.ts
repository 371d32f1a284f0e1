import { findProgram, type Found } from './programs.js';

/** A browser that playwright-core can drive. */
export async function findChromium(): Promise<Found> {
  const path = await findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');
  return path === null ? { missing: 'no chromium is installed (Debian: apt-get install chromium)' } : { path };
}
