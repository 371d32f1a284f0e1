/** Chooses the language of the page: the first of the browser's that there is. */
import { catalogue, type Words } from './catalogue.js';
import { en } from './en.js';

/** Besides English, which is there from the start. `en-XA` makes every text longer, to find those that would not fit. */
const LANGUAGES: Readonly<Record<string, () => Promise<Words>>> = {
  de: async () => (await import('./de.js')).de,
  'en-xa': async () => (await import('./pseudo.js')).pseudo(en),
};

export interface Choice {
  readonly language: string;
  readonly locale: string;
}

export function chooseLanguage(wanted: readonly string[]): Choice {
  for (const locale of wanted) {
    const [whole, primary = ''] = [locale.toLowerCase(), locale.toLowerCase().split('-')[0]];
    if (whole in LANGUAGES) return { language: whole, locale };
    if (primary === 'en' || primary in LANGUAGES) return { language: primary, locale };
  }
  return { language: 'en', locale: 'en' };
}

export async function loadWords(wanted: readonly string[]): Promise<void> {
  const { language, locale } = chooseLanguage(wanted);
  try {
    const words = (await LANGUAGES[language]?.()) ?? en;
    document.documentElement.lang = locale;
    catalogue.value = { words, locale };
  } catch {
    // The connection broke: an English page is better than none, and the next visit tries again.
  }
}
