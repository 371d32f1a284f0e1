/**
 * What the service says to people outside of the application: mails, and the page that their links lead to. The application has
 * words of its own, which a browser loads; these are never part of it.
 */
import { de } from './de.js';
import { en } from './en.js';
import { plainName } from './plainName.js';
import type { Key, Words } from './text.js';

type NamesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Names<Of extends Key> = (typeof en)[Of] extends infer Template
  ? Template extends string
    ? NamesIn<Template>
    : Template extends { readonly other: infer Other extends string }
      ? 'count' | NamesIn<Other>
      : never
  : never;
type Values<Of extends Key> = [Names<Of>] extends [never] ? [] : [values: { readonly [Name in Names<Of>]: Name extends 'count' ? number : string }];

interface Language {
  readonly words: Words;
  /** Of dates and numbers, for a user who named no region. */
  readonly locale: string;
}

const ENGLISH: Language = { words: en, locale: 'en-GB' };
const LANGUAGES: Readonly<Record<string, Language>> = { en: ENGLISH, de: { words: de, locale: 'de' } };

/** Written by the service; all other places are filled with what users wrote. */
export const OWN_PLACES: ReadonlySet<string> = new Set(['url', 'date', 'count']);

const PLACES = /\{(\w+)\}/;

export class Speaker {
  /** Of dates and numbers: the reader's own, such as de-AT. */
  readonly locale: string;
  readonly #words: Words;

  /** `language`: a tag of BCP 47. English for one that is not known, and for a language that there is not. */
  constructor(language: string | null) {
    const tag = language ?? '';
    const [primary = ''] = tag.toLowerCase().split('-');
    const found = Object.hasOwn(LANGUAGES, primary) ? LANGUAGES[primary] : undefined;
    const { words, locale } = found ?? ENGLISH;
    this.#words = words;
    this.locale = found === undefined || tag.length === primary.length ? locale : tag;
  }

  /** The text of a key. */
  say<Of extends Key>(key: Of, ...[values]: Values<Of>): string {
    const given: Readonly<Record<string, string | number>> = values ?? {};
    const text = this.#words[key];
    const template = typeof text === 'string' ? text : (text[this.#pluralOf(Number(given['count']))] ?? text.other);
    // Every second piece is the name of a place.
    return template
      .split(PLACES)
      .map((piece, index) => (index % 2 === 0 ? piece : this.#filled(piece, given[piece] ?? '')))
      .join('');
  }

  #pluralOf(count: number): Intl.LDMLPluralRule {
    return new Intl.PluralRules(this.locale).select(count);
  }

  #filled(place: string, value: string | number): string {
    if (typeof value === 'number') return new Intl.NumberFormat(this.locale).format(value);
    return OWN_PLACES.has(place) ? value : plainName(value);
  }
}
