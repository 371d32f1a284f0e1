/** The filter of a board in the address of the page, so that a reload or a colleague with the link sees the same. */
import { EVERYTHING, isEverything, type Filter } from './filter.js';

const TEXT = 'q';
const LABELS = 'labels';
const PEOPLE = 'people';
const DUE = 'due';
/** A link may come from anybody. */
const MAX_CHARACTERS = 200;
const MAX_IDS = 50;

export function filterIn(query: string): Filter {
  const given = new URLSearchParams(query);
  const ids = (name: string): ReadonlySet<string> => new Set((given.get(name) ?? '').split(',').filter(Boolean).slice(0, MAX_IDS));
  const filter = { text: (given.get(TEXT) ?? '').slice(0, MAX_CHARACTERS), labelIds: ids(LABELS), userIds: ids(PEOPLE), due: ids(DUE) };
  return isEverything(filter) ? EVERYTHING : filter;
}

/** With the question mark; empty for everything. */
export function queryOf({ text, labelIds, userIds, due }: Filter): string {
  const query = new URLSearchParams();
  if (text.trim() !== '') query.set(TEXT, text.trim().slice(0, MAX_CHARACTERS));
  if (labelIds.size > 0) query.set(LABELS, [...labelIds].join(','));
  if (userIds.size > 0) query.set(PEOPLE, [...userIds].join(','));
  if (due.size > 0) query.set(DUE, [...due].join(','));
  const written = query.toString();
  return written === '' ? '' : `?${written}`;
}
