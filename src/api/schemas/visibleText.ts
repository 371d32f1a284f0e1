/** Checks that a name is what it looks like: no hidden characters, none that imitate others. */

/**
 * Characters without a shape: controls, format characters (zero-width, bidirectional, tags), variation selectors and
 * fillers, line and paragraph separators, and unassigned code points. U+2800 is a blank that counts as a symbol.
 * Joiners (U+200C, U+200D) are refused also inside emoji and in scripts that use them: two names that differ only by a
 * joiner look the same.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const BIDI_CONTROL = /\p{Bidi_Control}/u;

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

/** Scripts whose letters look like those of another: no word of any language mixes two of them. */
const LOOK_ALIKE_SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
] as const;

/** The scripts mixed within one word; null if none are. */
export function mixedScripts(text: string): string | null {
  for (const word of text.split(/[^\p{L}\p{M}\p{N}]+/u)) {
    const scripts = LOOK_ALIKE_SCRIPTS.filter(([, letters]) => letters.test(word));
    if (scripts.length > 1) return scripts.map(([name]) => name).join(' and ');
  }
  return null;
}

function codePointIn(text: string, characters: RegExp): string | null {
  const found = characters.exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}
