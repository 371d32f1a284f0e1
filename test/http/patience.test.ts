import t from 'tap';
import * as v from 'valibot';
import { operation, type OperationAccess } from '../../src/api/operation/operation.js';
import { IdSource } from '../../src/domain/ids.js';
import { Patience } from '../../src/http/patience.js';
import { startEdge } from '../support/http/edge.js';

const PATIENCE_MS = 50;
const never = new Promise<never>(() => undefined);

function endless(access: OperationAccess, quota?: 'export') {
  return operation({
    name: 'wait',
    method: 'GET',
    path: '/wait',
    access,
    ...(quota === undefined ? {} : { quota }),
    tag: 'Test',
    summary: 'Waits',
    success: { status: 200, description: 'Never', schema: v.object({}) },
    handle: () => never,
  });
}

t.test('HTTP27 a request that waits too long for its data gets 503, whichever part of it waits', async (t) => {
  const onBoard = await startEdge(t, [endless('public')], {}, { patienceMs: PATIENCE_MS });
  const late = await fetch(`${onBoard.url}/wait`);
  t.equal(late.status, 503);
  t.equal(late.headers.get('retry-after'), '1');
  const onUser = await startEdge(t, [endless('user')], { directory: { ask: () => never } }, { patienceMs: PATIENCE_MS });
  const authorization = `Bearer ${await onUser.tokens.issue(new IdSource().fresh())}`;
  t.equal((await fetch(`${onUser.url}/wait`, { headers: { authorization } })).status, 503);
});

t.test('HTTP27 the parts of a request share its time', async (t) => {
  const patience = new Patience(PATIENCE_MS);
  await t.rejects(patience.wait(never), { code: 'unavailable' });
  const first = await Promise.race([
    patience.wait(never).catch(() => 'refused'),
    new Promise((resolve) => setTimeout(() => resolve('still waiting'), PATIENCE_MS - 10)),
  ]);
  t.equal(first, 'refused', 'the second wait has no time left');
  t.equal(await new Patience(PATIENCE_MS).wait(Promise.resolve('answer')), 'answer');
});
