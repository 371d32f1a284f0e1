/**
 * Edits of one text that wait behind each other. All name the version that the first was written on, as the service has not
 * numbered the others yet; each of them gets the version that the one before it became.
 */
import type { KeptChange } from './changeStore.js';

type Fields = Readonly<Record<string, unknown>>;

/** `made` as the service answered it. Null if the waiting change is no edit of its text, or was not written on it. */
export function withNewBase(waiting: KeptChange, made: KeptChange, answer: unknown): KeptChange | null {
  const [path = {}, { base, ...fields } = {}] = made.args as readonly Fields[];
  const [nextPath = {}, next = {}] = waiting.args as readonly Fields[];
  const { text_version, ...saved } = (answer ?? {}) as Fields;
  if (base === undefined || next['base'] !== base || waiting.name !== made.name || !hasAll(nextPath, path)) return null;
  // What others wrote is merged into it, and the waiting text does not contain that.
  if (text_version === undefined || !hasAll(saved, fields)) return null;
  return { ...waiting, args: [nextPath, { ...next, base: text_version }] };
}

function hasAll(object: Fields, fields: Fields): boolean {
  return Object.entries(fields).every(([name, value]) => object[name] === value);
}
