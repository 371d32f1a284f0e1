/** Configures the limit with the exact answer of the service, so that both send the same bytes. */
import { STATUS_CODES } from 'node:http';
import type { Lesson } from '../contestants/limit/lesson.js';
import type { Contestant } from '../processes/contestant.js';
import type { Account } from './account.js';

/** Written by every server itself, or about the connection. */
const OWN_HEADERS = new Set(['content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding', 'uwebsockets']);

export type Answer = Pick<Lesson, 'status' | 'headers' | 'body'>;

export async function copyAnswer(account: Account, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await fetch(account.url + path, { headers: { ...account.headers, ...headers } });
  return {
    status: `${response.status} ${STATUS_CODES[response.status]}`,
    headers: [...response.headers].filter(([name]) => !OWN_HEADERS.has(name)),
    body: await response.text(),
  };
}

export async function teach(limit: Contestant, lesson: Lesson): Promise<void> {
  const { status } = await fetch(limit.url, { method: 'PUT', body: JSON.stringify(lesson) });
  if (status !== 204) throw new Error(`the limit answered ${status} to a lesson`);
}

/** Fails unless both answers have the same fields at every level: a rival that sends less would look faster. */
export function requireSameShape(name: string, ours: unknown, theirs: unknown): void {
  const [left, right] = [shapeOf(ours), shapeOf(theirs)];
  if (left !== right) throw new Error(`${name} answers with other fields than the service:\n${right}\n${left}`);
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? '' : shapeOf(value[0])}]`;
  if (typeof value !== 'object' || value === null) return '';
  const fields = Object.entries(value).map(([name, field]) => `${name}${shapeOf(field)}`);
  return `{${fields.sort().join(',')}}`;
}
