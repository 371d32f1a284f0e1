/** English with marks and a third more letters: what it overflows, another language will too; what has no marks, nobody translated. */
import type { Text } from './catalogue.js';

const LETTERS: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  y: 'ý',
  A: 'Á',
  E: 'É',
  I: 'Í',
  O: 'Ó',
  U: 'Ú',
  n: 'ñ',
  c: 'ç',
};
const LONGER_BY = 1 / 3;

export function pseudo<Words extends Readonly<Record<string, Text>>>(words: Words): Record<keyof Words, Text> {
  const texts = Object.entries(words).map(([key, text]) => [key, typeof text === 'string' ? longer(text) : eachForm(text)]);
  return Object.fromEntries(texts) as Record<keyof Words, Text>;
}

function eachForm(text: Exclude<Text, string>): Text {
  const forms = Object.entries(text).map(([form, template]) => [form, longer(template)]);
  return { ...Object.fromEntries(forms), other: longer(text.other) };
}

/** Names of places stay. */
function longer(template: string): string {
  const marked = template.replace(/\{\w+\}|\p{L}/gu, (match) => LETTERS[match] ?? match);
  const letters = marked.replace(/\{\w+\}/g, '').length;
  return `${marked}${'~'.repeat(Math.ceil(letters * LONGER_BY))}`;
}
