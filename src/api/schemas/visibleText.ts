/** Whether a name shows what it is: no characters that hide, none that pass for others. */

/**
 * Characters without a shape of their own: controls, format characters (zero-width, bidirectional, tags), variation
 * selectors and fillers, line and paragraph separators, and code points that no script uses. U+2800 is a blank that
 * counts as a symbol. Joiners (U+200C, U+200D) are among them also inside emoji and in scripts that write with them: two
 * names that differ only by a joiner look the same.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const BIDI_CONTROL = /\p{Bidi_Control}/u;

/** The first character that cannot be seen, as `U+200B`; null where all can. */
export function hiddenCharacter(text: string): string | null {
  return codePointIn(text, HIDDEN);
}

/** The first character that turns the direction of text around it, as `U+202E`. */
export function bidiControl(text: string): string | null {
  return codePointIn(text, BIDI_CONTROL);
}

/** Whether all it has are marks that sit on other characters. */
export function hasBase(text: string): boolean {
  return /^[^\p{M}]/u.test(text);
}

/** Scripts whose letters look like those of another: no word of any language is written in two of them. */
const LOOK_ALIKE_SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
] as const;

/** The scripts that are mixed within one word; null where none are. */
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
