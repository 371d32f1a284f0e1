/** Parses JSON from outside, and refuses what `JSON.parse` accepts but no honest client sends. */
import { AppError } from '../../domain/errors.js';

/** No input of the API is nested deeper than three, besides states and signals; more is an attack on the parser. */
export const DEEPEST_NESTING = 32;

/** No valid input has as many fields; an object with a million keys takes two hundred megabytes. */
const MAX_KEYS = 1_000;

/** Enough to recognise a key; an answer must not grow with hostile input. */
const QUOTED_KEY_LENGTH = 40;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** For texts that are small by themselves. */
const UNBOUNDED = Infinity;

/**
 * `maxValues` bounds the keys of all objects and the entries of all lists together. They are counted before parsing: a
 * parsed byte of text can take thirty bytes of memory.
 */
export function parseJson(bytes: Uint8Array, maxValues = UNBOUNDED): unknown {
  return parseJsonText(decodeText(bytes), 'body', maxValues);
}

/** `whole` names the text in complaints. */
export function parseJsonText(text: string, whole: string, maxValues = UNBOUNDED): unknown {
  if (text.trim() === '') throw new AppError('malformed', `${whole}: must be JSON, but it is empty`);
  refuseExcess(text, whole, maxValues);
  return parse(text, whole);
}

export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new AppError('malformed', 'body: is not valid UTF-8', { cause: error });
  }
}

/**
 * One pass over the text. Duplicate keys make a document mean different things to different readers, so they are
 * refused. Text that is not JSON passes here and fails in the parser.
 */
function refuseExcess(text: string, whole: string, maxValues: number): void {
  /** One entry per open bracket: the keys seen so far, or null in a list. */
  const open: Array<Set<string> | null> = [];
  // Every bracket counts as one value, and every comma as another.
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === COMMA) {
      values += 1;
    } else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      open.push(char === OPEN_OBJECT ? new Set() : null);
      if (open.length > DEEPEST_NESTING) throw new AppError('malformed', `${whole}: is nested too deeply`);
      values += 1;
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) {
      open.pop();
    } else if (char === QUOTE) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) noteKey(keys, text.slice(at, end), whole);
      at = end - 1;
    }
    if (values > maxValues) throw new AppError('too_large', `${whole}: must have at most ${maxValues} values`);
  }
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** The index after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at += 2;
    else if (char === QUOTE) return at + 1;
    else at += 1;
  }
  return text.length;
}

function isKey(text: string, afterString: number): boolean {
  let at = afterString;
  while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at += 1;
  return text.charCodeAt(at) === 0x3a;
}

function noteKey(keys: Set<string>, literal: string, whole: string): void {
  const key = literal.includes('\\') ? String(parse(literal, whole)) : literal.slice(1, -1);
  if (keys.has(key)) {
    throw new AppError('malformed', `${whole}: the key ${JSON.stringify(key.slice(0, QUOTED_KEY_LENGTH))} occurs twice`);
  }
  keys.add(key);
  if (keys.size > MAX_KEYS) throw new AppError('too_large', `${whole}: an object must have at most ${MAX_KEYS} keys`);
}

function parse(text: string, whole: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('malformed', `${whole}: is not valid JSON`, { cause: error });
  }
}
