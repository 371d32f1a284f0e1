import type { Test } from 'tap';
import type { ApiResponse } from './api.js';

/** Every refusal has the expected status and one string that names the problem. */
export function expectRefusal(t: Test, response: ApiResponse, status: number, detail: string | RegExp, name = ''): void {
  t.equal(response.status, status, `${name} status`.trim());
  const body = response.body as { detail?: unknown } | undefined;
  t.strictSame(Object.keys(body ?? {}), ['detail'], `${name} body`.trim());
  if (typeof detail === 'string') t.equal(body?.detail, detail, `${name} detail`.trim());
  else t.match(body?.detail, detail, `${name} detail`.trim());
}
