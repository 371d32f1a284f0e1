/** Boards full of labels, and how a user who was invited to them lists boards. */
import type { Test } from 'tap';
import type { TestUser } from '../http/users.js';
import { IS_LONG_FORM, type AttackedService } from './attackedService.js';
import { cpuMs } from './processMemory.js';

const MIB = 1024 * 1024;
/** The bytes of a page, and the one summary that exceeds them. */
const MAX_ANSWER_BYTES = 24 * MIB;
/** The maximum wait of the victim for one page, on an idle machine. Before the limits it was 11 seconds and then a failure. */
const MAX_ANSWER_MS = 2_000;
/** What the service may compute meanwhile, with everything else that it serves; a busy machine does not change it much. */
const MAX_CPU_MS = 5_000;

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
  const cpuBefore = cpuMs(attacked.service.pid);
  const response = await attacked.send('GET', `/boards${query}`, undefined, victim.token);
  const text = await response.text();
  t.equal(response.status, 200, `the victim's GET /boards${query}: ${text.slice(0, 100)}`);
  t.ok(text.length <= MAX_ANSWER_BYTES, `has ${text.length} bytes`);
  const waited = Math.round(performance.now() - startedAt);
  const cpu = Math.round(cpuMs(attacked.service.pid) - cpuBefore);
  t.ok(cpu <= MAX_CPU_MS, `takes ${cpu} ms of CPU`);
  if (IS_LONG_FORM) t.ok(waited <= MAX_ANSWER_MS, `and ${waited} ms`);
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
