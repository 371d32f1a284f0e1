/** Checks that a name is what it looks like: no hidden characters, none that imitate others. */

/**
 * Characters without a shape: controls, format characters (zero-width, bidirectional, tags), variation selectors and
 * fillers, line and paragraph separators, and unassigned code points. U+2800 is a blank that counts as a symbol.
 * Joiners (U+200C, U+200D) are refused also inside emoji and in scripts that use them: two names that differ only by a
 * joiner look the same.
 */
const HIDDEN_CLASS = String.raw`\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;
const HIDDEN = new RegExp(`[${HIDDEN_CLASS}]`, 'u');

const BIDI_CLASS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const BIDI_CONTROL = new RegExp(`[${BIDI_CLASS}]`, 'u');

/** The first invisible character, as `U+200B`; null if there is none. */
export function hiddenCharacter(text: string): string | null {
  return codePointIn(text, HIDDEN);
}

/** The first character that changes the direction of text, as `U+202E`. */
export function bidiControl(text: string): string | null {
  return codePointIn(text, BIDI_CONTROL);
}

/** Whether the text begins with anything but a combining mark. */
export function hasBase(text: string): boolean {
  return /^[^\p{M}]/u.test(text);
}

/** Scripts whose letters look like letters of another script: no word of any language mixes two of them. */
const LOOK_ALIKE_SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'] as const;
const LETTERS = LOOK_ALIKE_SCRIPTS.map((script) => [script, new RegExp(lettersOf(script), 'u')] as const);
/** What a word consists of. */
const WORD_CLASS = String.raw`\p{L}\p{M}\p{N}`;
const BETWEEN_WORDS = new RegExp(`[^${WORD_CLASS}]+`, 'u');

/** The scripts mixed within one word; null if none are. */
export function mixedScripts(text: string): string | null {
  for (const word of text.split(BETWEEN_WORDS)) {
    const scripts = LETTERS.filter(([, letters]) => letters.test(word));
    if (scripts.length > 1) return scripts.map(([name]) => name).join(' and ');
  }
  return null;
}

function lettersOf(script: string): string {
  return `\\p{Script=${script}}`;
}

/** Letters of two such scripts in one word. */
const MIXED = LOOK_ALIKE_SCRIPTS.map((script) => {
  const others = LOOK_ALIKE_SCRIPTS.filter((each) => each !== script).map(lettersOf);
  return `${lettersOf(script)}[${WORD_CLASS}]*[${others.join('')}]`;
}).join('|');

/** For documents: what passes has a visible character, and passes every check above. */
export const VISIBLE_NAME_PATTERN = `^(?!\\s*\\p{M})(?!.*(?:${MIXED}))[^${HIDDEN_CLASS}]*[^\\s${HIDDEN_CLASS}][^${HIDDEN_CLASS}]*$`;

/** For documents: a name that may have invisible characters, but none that changes the direction of text. */
export const UNDIRECTED_NAME_PATTERN = `^[^\\u0000${BIDI_CLASS}]*[^\\s\\u0000${BIDI_CLASS}][^\\u0000${BIDI_CLASS}]*$`;

function codePointIn(text: string, characters: RegExp): string | null {
  const found = characters.exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}
