/**
 * Checks JSON text before it is parsed. `JSON.parse` makes up to twenty bytes of memory of one byte of text, such as
 * "[[],[],", and deep values overflow the stack of recursive code.
 */
import { Refusal } from './refusal.js';

/** Long texts and binary content are attachments. The rest is small: 20,000 events of 500 bytes are 10 MB. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;
/** Members of objects and entries of lists, nested ones included. A batch of 20,000 events has 80,000. */
export const MAX_JSON_VALUES = 200_000;
/** The deepest of our messages has about ten levels. */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Throws if a bound is exceeded. Does not check whether the text is valid JSON. */
export function requireBoundedJson(text: Uint8Array): void {
  if (text.length > MAX_JSON_BYTES) throw new Refusal('too_large', `${text.length} bytes of JSON; max ${MAX_JSON_BYTES}`);
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (values > MAX_JSON_VALUES) throw new Refusal('too_large', `JSON of too many values; max ${MAX_JSON_VALUES}`);
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at + 1);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_JSON_DEPTH) throw new Refusal('too_large', `JSON is nested too deeply; max ${MAX_JSON_DEPTH} levels`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
}

/** The position of the closing quote. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
