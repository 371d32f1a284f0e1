/** The browser application. */
import { render } from 'preact';
import { App } from './App.js';
import { applyPreferences } from './page/preferences.js';
import { followPrinting } from './page/printing.js';
import { registerWorker } from './kept/serviceWorker.js';
import { followAddress } from './state/route.js';
import { startSession } from './state/session.js';
import { followFocus } from './ui/keepFocus.js';
import { loadWords, wantedLanguages } from './words/language.js';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no place for the application');
applyPreferences();
followAddress();
followPrinting();
followFocus();
void startSession();
await loadWords(wantedLanguages());
render(<App />, root);
// After what the page itself loads, which may be over while the words of another language arrive.
if (document.readyState === 'complete') void registerWorker();
else addEventListener('load', () => void registerWorker());
