import type { en } from './en.js';

/** A text, or one for each plural form of `count`. `{name}` is filled in. */
export type Text = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string });
export type Key = keyof typeof en;
export type Words = Readonly<Record<Key, Text>>;
