/** Which of the prepared encodings a client accepts. */
import type { Encodings } from '../pages/page.js';

export type Coding = keyof Encodings;

/** The best first. */
const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Null for the content as it is. */
export function chooseCoding(acceptEncoding: string, available: Encodings): Coding | null {
  if (acceptEncoding === '') return null;
  const accepted = new Map(acceptEncoding.split(',').map((each) => weighed(each)));
  const weightOf = (coding: string): number => accepted.get(coding) ?? accepted.get('*') ?? 0;
  return CODINGS.find((coding) => available[coding] !== undefined && weightOf(coding) > 0) ?? null;
}

function weighed(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((each) => each.startsWith('q='))?.slice(2);
  return [name, quality === undefined ? 1 : Number(quality) || 0];
}
