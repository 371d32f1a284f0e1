/** Chooses the language of the page: that of the account, else the first of the browser's that there is. */
import { loadPart } from '../page/loadPart.js';
import { catalogue, whole, type FirstWords, type LaterWords } from './catalogue.js';
import { en } from './en.js';

interface Language {
  readonly first: () => Promise<FirstWords>;
  readonly later: () => Promise<LaterWords>;
}

const english: Language = {
  first: async () => en,
  later: async () => (await loadPart(() => import('./enLater.js'))).enLater,
};

async function germanFirst(): Promise<FirstWords> {
  const { de, deRefusals } = await import('./de.js');
  return { ...de, ...deRefusals };
}

/** `en-XA` makes every text longer, to find those that would not fit. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  en: english,
  de: { first: germanFirst, later: async () => (await loadPart(() => import('./deLater.js'))).deLater },
  'en-xa': {
    first: async () => (await import('./pseudo.js')).pseudo(en),
    later: async () => (await import('./pseudo.js')).pseudo(await english.later()),
  },
};

/** Those that a user can choose, each by its own name. */
export const LANGUAGE_NAMES = [
  ['en', 'English', 'en'],
  ['de', 'Deutsch', 'de'],
] as const;

/** Of the account that was last used here, so that the next visit begins in its language. */
const KEPT_AS = 'switchboard language';

export interface Choice {
  readonly language: string;
  readonly locale: string;
}

export function chooseLanguage(wanted: readonly string[]): Choice {
  for (const locale of wanted) {
    const [whole, primary = ''] = [locale.toLowerCase(), locale.toLowerCase().split('-')[0]];
    if (whole in LANGUAGES) return { language: whole, locale };
    if (primary in LANGUAGES) return { language: primary, locale };
  }
  return { language: 'en', locale: 'en' };
}

/** What the page has: a change of language and the words of a later part may be wanted at the same time, so one follows the other. */
let loaded: Promise<{ readonly language: Language; readonly hasLater: boolean }> = Promise.resolve({ language: english, hasLater: false });

export async function loadWords(wanted: readonly string[]): Promise<void> {
  const { language: name, locale } = chooseLanguage(wanted);
  const language = LANGUAGES[name] ?? english;
  loaded = loaded.then(async (before) => {
    try {
      const [first, later] = await Promise.all([language.first(), before.hasLater ? language.later() : {}]);
      document.documentElement.lang = locale;
      catalogue.value = { ...catalogue.value, words: whole({ ...first, ...later }), locale };
      return { ...before, language };
    } catch {
      // The connection broke: a page in the language before is better than none, and the next visit tries again.
      return before;
    }
  });
  await loaded;
}

/** For a part that is loaded later. */
export async function loadLaterWords(): Promise<void> {
  const before = loaded;
  const next = before.then(async ({ language, hasLater }) => {
    if (!hasLater) catalogue.value = { ...catalogue.value, words: whole({ ...catalogue.value.words, ...(await language.later()) }) };
    return { language, hasLater: true };
  });
  // One that failed is tried again with the next part.
  loaded = next.catch(() => before);
  await next;
}

/** Before it is known who is logged in. */
export function wantedLanguages(): readonly string[] {
  const kept = keptLanguage();
  return kept === null ? navigator.languages : [kept, ...navigator.languages];
}

/** Of the account; null is the browser's, also where nobody is logged in. */
export async function speakAs({ language, time_zone }: { readonly language: string | null; readonly time_zone: string | null }): Promise<void> {
  const before = keptLanguage();
  catalogue.value = { ...catalogue.value, timeZone: time_zone ?? undefined };
  if (before === language) return;
  keepLanguage(language);
  await loadWords(wantedLanguages());
}

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

function keepLanguage(language: string | null): void {
  try {
    if (language === null) localStorage.removeItem(KEPT_AS);
    else localStorage.setItem(KEPT_AS, language);
  } catch {
    // A browser that keeps nothing: the page begins in its language.
  }
}
