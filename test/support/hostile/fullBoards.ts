/** Boards full of labels, and how a user who was invited to them lists boards. */
import type { Test } from 'tap';
import type { TestUser } from '../http/users.js';
import type { AttackedService } from './attackedService.js';
import { cpuMs } from './processMemory.js';

const MIB = 1024 * 1024;
/** The bytes of a page, and the one summary that exceeds them. */
const MAX_ANSWER_BYTES = 24 * MIB;
/**
 * What the service may compute for one page, with everything else that it serves meanwhile; a busy machine does not change it
 * much. Before the limits the victim waited 11 seconds, and got nothing.
 */
const MAX_CPU_MS = 4_000;

export const DOCUMENT = { format: 'switchboard-board', version: 1, title: 'Large' };

export function labels(count: number, name: string): object[] {
  return Array.from({ length: count }, (_, n) => ({ id: `${n}`, name }));
}

export interface Page {
  readonly boards: ReadonlyArray<{ readonly id: string }>;
  readonly next: string | undefined;
}

export async function readPage(t: Test, attacked: AttackedService, victim: TestUser, query: string): Promise<Page> {
  const cpuBefore = cpuMs(attacked.service.pid);
  const response = await attacked.send('GET', `/boards${query}`, undefined, victim.token);
  const text = await response.text();
  t.equal(response.status, 200, `the victim's GET /boards${query}: ${text.slice(0, 100)}`);
  t.ok(text.length <= MAX_ANSWER_BYTES, `has ${text.length} bytes`);
  const cpu = Math.round(cpuMs(attacked.service.pid) - cpuBefore);
  t.ok(cpu <= MAX_CPU_MS, `takes ${cpu} ms of CPU`);
  const next = /^<(\?.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  return { boards: JSON.parse(text) as Page['boards'], next };
}

/** The ids of all boards. */
export async function readAllPages(t: Test, attacked: AttackedService, victim: TestUser): Promise<string[]> {
  const ids: string[] = [];
  for (let query: string | undefined = ''; query !== undefined;) {
    const { boards, next } = await readPage(t, attacked, victim, query);
    ids.push(...boards.map(({ id }) => id));
    query = next;
  }
  return ids;
}
