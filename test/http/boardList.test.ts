import { randomUUID } from 'node:crypto';
import t from 'tap';
import { openApiDocument } from '../../src/api/describe/openapi.js';
import { boardOperations } from '../../src/api/operations/boards/boards.js';
import { AppError } from '../../src/domain/errors.js';
import type { BoardCommand } from '../../src/domain/commands/commands.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import type { BoardAnswer } from '../../src/domain/ports/boardsPort.js';
import { notServed, unanswered } from '../../src/partitions/askPort.js';
import { VERSION } from '../../src/version.js';
import { startEdge } from '../support/http/edge.js';

const [NEAR, AWAY] = [randomUUID(), randomUUID()];
const [ann, ben] = [randomUUID(), randomUUID()];
const BOARDS_OF: Readonly<Record<string, readonly string[]>> = { [ann]: [NEAR, AWAY], [ben]: [NEAR] };

const directory = {
  ask: async (op: string, input: { id: string; user_id: string }) =>
    op === 'membership.list' ? BOARDS_OF[input.user_id] : { id: input.id, is_active: true },
} as unknown as DirectoryPort;

t.test('BOARD55 while a board is out of reach the list is 503 with Retry-After, and users without such a board get theirs', async (t) => {
  // The last one is a refusal of the board itself, which has no retry time.
  const failures = [notServed('shard 1'), unanswered('shard 1'), new AppError('unavailable', 'The disk is full')];
  for (const failure of failures) {
    const ask = async ({ target }: BoardCommand): Promise<BoardAnswer> => {
      if (target === AWAY) throw failure;
      return { ok: true, json: JSON.stringify({ id: target }) };
    };
    const { url, tokens } = await startEdge(t, boardOperations, { directory, boards: { ask } });
    const list = async (user: string): Promise<Response> =>
      fetch(`${url}/boards`, { headers: { authorization: `Bearer ${await tokens.issue(user)}` } });
    const refused = await list(ann);
    t.equal(refused.status, 503);
    t.equal(refused.headers.get('retry-after'), '1');
    t.strictSame(await refused.json(), { detail: failure.detail });
    const answered = await list(ben);
    t.equal(answered.status, 200);
    t.strictSame(await answered.json(), [{ id: NEAR }]);
  }
});

t.test('BOARD55 the API document describes the 503', async (t) => {
  const documented = openApiDocument(VERSION).paths?.['/boards']?.get?.responses?.['503'] as object;
  t.match(documented, { description: /boards is out of reach.*Retry-After/, headers: { 'Retry-After': Object } });
});
