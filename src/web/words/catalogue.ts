/** The words of the page: typed keys, plural forms, numbers by the reader's locale. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { en } from './en.js';
import type { enLater } from './enLater.js';

/** A text, or one for each plural form of `count`. `{name}` is filled in. */
export type Text = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string });
type English = typeof en & typeof enLater;
export type Key = keyof English;
export type Words = Readonly<Record<Key, Text>>;
/** What a first visit shows. */
export type FirstWords = Readonly<Record<keyof typeof en, Text>>;
/** `lazy` loads them before a part that is loaded later is shown. */
export type LaterWords = Readonly<Record<keyof typeof enLater, Text>>;

export interface Catalogue {
  /** Those of a first visit, and the others as soon as a part needs them. */
  readonly words: Words;
  /** Of dates and numbers: the reader's own, such as de-AT. */
  readonly locale: string;
  /** Of the account; undefined is the browser's. */
  readonly timeZone: string | undefined;
}

export const catalogue = signal<Catalogue>({ words: whole(en), locale: 'en', timeZone: undefined });

/** The parts that use other words are shown when these have come. */
export function whole(words: Partial<Words>): Words {
  return words as Words;
}

type NamesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Names<Of extends Key> = English[Of] extends infer Template
  ? Template extends string
    ? NamesIn<Template>
    : Template extends { readonly other: infer Other extends string }
      ? 'count' | NamesIn<Other>
      : never
  : never;
type Values<Of extends Key, Value> = [Names<Of>] extends [never]
  ? []
  : [values: { readonly [Name in Names<Of>]: Name extends 'count' ? number : Value }];

/** Keys of texts into which nothing is filled. */
export type PlainKey = { [Each in Key]: [Names<Each>] extends [never] ? Each : never }[Key];

/** The text of a key. */
export function say<Of extends Key>(key: Of, ...[values]: Values<Of, string | number>): string {
  return parts<string>(key, values ?? {})
    .map((part) => (typeof part === 'number' ? formatNumber(part) : String(part)))
    .join('');
}

/** What the service says, in the reader's language if that has words for it. */
export function spoken(detail: string): string {
  const text = (catalogue.value.words as Readonly<Record<string, Text | undefined>>)[detail];
  return typeof text === 'string' ? text : detail;
}

/** As `say`, for texts with elements in them, such as the title of a card. */
export function sayWith<Of extends Key>(key: Of, ...[values]: Values<Of, ComponentChildren>): ComponentChildren[] {
  return parts<ComponentChildren>(key, values ?? {}).map((part) => (typeof part === 'number' ? formatNumber(part) : part));
}

const PLACES = /\{(\w+)\}/;

function parts<Value>(key: Key, values: Readonly<Record<string, Value | number>>): Array<string | Value | number> {
  const { words, locale } = catalogue.value;
  const text = words[key];
  const template = typeof text === 'string' ? text : (text[pluralOf(locale, Number(values['count']))] ?? text.other);
  // Every second piece is the name of a place.
  return template
    .split(PLACES)
    .map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? '')))
    .filter((piece) => piece !== '');
}

function pluralOf(locale: string, count: number): Intl.LDMLPluralRule {
  return new Intl.PluralRules(locale).select(count);
}

/** As the reader writes it. `say` does it for numbers in a text. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(catalogue.value.locale).format(value);
}
