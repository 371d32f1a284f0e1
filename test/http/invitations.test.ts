import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Services } from '../../src/api/operation/operation.js';
import { memberOperations } from '../../src/api/operations/members.js';
import type { ErrorData } from '../../src/domain/errors.js';
import { startEdge } from '../support/http/edge.js';

const [BOARD, CALLER, GUEST, UNKNOWN] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

t.test('ACCESS2 a caller without the right to invite gets 403 for every input, without a look-up in the directory', async (t) => {
  let refusal: ErrorData | null = null;
  /** What the directory is asked besides who the caller is. */
  const asked: string[] = [];
  let isOwnerOlder = false;
  const userOf = (id: string | undefined): object | null => (id === UNKNOWN ? null : { id, is_active: true });
  const directory = {
    ask: async (op: string, { id, invited }: { id?: string; invited?: string }) => {
      if (id === CALLER) return userOf(id);
      asked.push(op);
      if (op !== 'grant.reserve') return userOf(id);
      const user = userOf(invited);
      return isOwnerOlder ? 1 : { count: user === null ? 0 : 1, user };
    },
  } as unknown as Services['directory'];
  const boards: Services['boards'] = {
    ask: async () => (refusal === null ? { ok: true, json: '{}' } : { ok: false, error: refusal }),
  };
  const { url, tokens } = await startEdge(t, memberOperations, { directory, boards, now: () => new Date() });
  const authorization = `Bearer ${await tokens.issue(CALLER)}`;
  const invite = async (body: string, type = 'application/json'): Promise<number> => {
    const headers = { authorization, 'content-type': type };
    return (await fetch(`${url}/boards/${BOARD}/invite`, { method: 'POST', headers, body })).status;
  };
  const bodies = [GUEST, UNKNOWN, CALLER, 7].map((user_id) => JSON.stringify({ user_id }));
  for (const [code, status] of [
    ['not_found', 404],
    ['forbidden', 403],
  ] as const) {
    refusal = { code, detail: 'No' };
    for (const body of [...bodies, '{']) t.equal(await invite(body), status, body);
    t.equal(await invite('x', 'text/plain'), status);
  }
  t.strictSame(asked, []);
  refusal = null;
  t.strictSame([await invite('x', 'text/plain'), await invite('{'), await invite('{"user_id": 7}')], [415, 400, 422]);
  t.strictSame(asked, [], 'an invalid body costs no look-up either');
  t.equal(await invite(JSON.stringify({ user_id: UNKNOWN })), 404);
  t.equal(await invite(JSON.stringify({ user_id: GUEST })), 200);
  t.strictSame(asked.splice(0), ['grant.reserve', 'grant.reserve'], 'the directory is asked once for each');
  isOwnerOlder = true;
  t.equal(await invite(JSON.stringify({ user_id: UNKNOWN })), 404);
  t.strictSame(asked.splice(0), ['grant.reserve', 'user.get', 'grant.release'], 'an older one knows only how to count');
  t.equal(await invite(JSON.stringify({ user_id: GUEST })), 200);
  t.strictSame(asked, ['grant.reserve', 'user.get']);
});
