/** Boards full of labels, and how a user who was invited to them lists boards. */
import type { Test } from 'tap';
import type { TestUser } from '../http/users.js';
import { IS_LONG_FORM, type AttackedService } from './attackedService.js';

const MIB = 1024 * 1024;
/** The bytes of a page, and the one summary that exceeds them. */
const MAX_ANSWER_BYTES = 24 * MIB;
/** The maximum wait of the victim for one page; before the limits it was 11 seconds and then a failure. */
const MAX_ANSWER_MS = IS_LONG_FORM ? 2_000 : 8_000;

export const DOCUMENT = { format: 'switchboard-board', version: 1, title: 'Large' };

export function labels(count: number, name: string): object[] {
  return Array.from({ length: count }, (_, n) => ({ id: `${n}`, name }));
}

export interface Page {
  readonly boards: ReadonlyArray<{ readonly id: string }>;
  readonly next: string | undefined;
}

export async function readPage(t: Test, attacked: AttackedService, victim: TestUser, query: string): Promise<Page> {
  const startedAt = performance.now();
  const response = await attacked.send('GET', `/boards${query}`, undefined, victim.token);
  const text = await response.text();
  t.equal(response.status, 200, `the victim's GET /boards${query}: ${text.slice(0, 100)}`);
  t.ok(text.length <= MAX_ANSWER_BYTES, `has ${text.length} bytes`);
  const waited = Math.round(performance.now() - startedAt);
  t.ok(waited <= MAX_ANSWER_MS, `and takes ${waited} ms`);
  const next = /^<(\?.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  return { boards: JSON.parse(text) as Page['boards'], next };
}

/** The ids of all boards. */
export async function readAllPages(t: Test, attacked: AttackedService, victim: TestUser): Promise<string[]> {
  const ids: string[] = [];
  for (let query: string | undefined = ''; query !== undefined; ) {
    const { boards, next } = await readPage(t, attacked, victim, query);
    ids.push(...boards.map(({ id }) => id));
    query = next;
  }
  return ids;
}
