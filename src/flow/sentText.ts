/** Texts as uWebSockets sends them. */

/**
 * uWebSockets 20.64, the only one for Node 24 in the registry, sends a string that V8 keeps with one byte a character as
 * these bytes, so "ë" would leave as invalid UTF-8. Later versions and those for other versions of Node do not.
 */
const SENDS_LATIN_1 = process.versions.modules === '137';
/** A string without these is the same in both encodings, or has two bytes a character. */
const DIFFERS_IN_UTF_8 = /[\u0080-\u00ff]/;

export const toSent: (text: string) => string | Uint8Array = SENDS_LATIN_1
  ? (text) => (DIFFERS_IN_UTF_8.test(text) ? Buffer.from(text) : text)
  : (text) => text;
