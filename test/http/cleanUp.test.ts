import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Operation, Services } from '../../src/api/operation/operation.js';
import { attachmentOperations } from '../../src/api/operations/attachments.js';
import { boardOperations } from '../../src/api/operations/boards/boards.js';
import { memberOperations } from '../../src/api/operations/members.js';
import { transferOperations } from '../../src/api/operations/transfer/transfer.js';
import { AppError } from '../../src/domain/errors.js';
import { IdSource } from '../../src/domain/ids.js';
import { CONTENT_KEY } from '../../src/domain/document/boardDocument.js';
import { startEdge } from '../support/http/edge.js';
import { filePart, multipart, MULTIPART } from '../support/http/multipart.js';
import { testConfig } from '../support/service/app.js';

const ID = randomUUID();
const JSON_TYPE = { 'content-type': 'application/json' } as const;
const lost = new AppError('unavailable', 'The shard did not answer');

interface Failing {
  /** Sends a request, and returns the status and the body of the answer. */
  post(path: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array<ArrayBuffer>): Promise<unknown[]>;
  readonly reported: ReadonlyArray<readonly [failure: unknown, message: string]>;
}

/** A service where no clean-up succeeds. */
async function startFailing(t: Test, operations: readonly Operation[], services: Partial<Services>): Promise<Failing> {
  const reported: Array<readonly [unknown, string]> = [];
  const directory = {
    ask: async (op: string, { id }: { id: string }) => {
      if (op.endsWith('.release')) throw lost;
      if (op === 'board.reserve') return true;
      return op === 'grant.reserve' ? 1 : op === 'user.findByEmail' ? [{ id: randomUUID() }] : { id, is_active: true };
    },
  };
  const done = async (): Promise<void> => undefined;
  const { url, tokens } = await startEdge(t, operations, {
    config: testConfig({ MAX_ATTACHMENT_BYTES: '1000' }),
    directory: directory as unknown as Services['directory'],
    content: { start: async () => true, append: done, drop: () => Promise.reject(lost), read: async () => new Uint8Array() },
    ids: new IdSource(),
    now: () => new Date(),
    report: (failure, message) => reported.push([failure, message]),
    ...services,
  });
  const authorization = `Bearer ${await tokens.issue(randomUUID())}`;
  return {
    async post(path, headers, body) {
      const response = await fetch(url + path, { method: 'POST', headers: { ...headers, authorization }, body });
      return [response.status, await response.json()];
    },
    reported,
  };
}

t.test('ATT65 a refused upload gets its own refusal although dropping it fails', async (t) => {
  const boards = { ask: async () => ({ ok: true, json: null }) as const };
  const { post, reported } = await startFailing(t, attachmentOperations, { boards });
  const form = multipart(filePart(new Uint8Array(1_001)));
  t.strictSame(await post(`/cards/${ID}/attachments`, MULTIPART, form), [400, { detail: 'The file is larger than the maximum of 1000 bytes' }]);
  t.strictSame(reported, [[lost, 'a refused request was not cleaned up: dropping its file']]);
});

t.test('ATT65 a refused import gets its own refusal, and each part of its clean-up is tried', async (t) => {
  const documents = {
    inTurn: (_user: unknown, _bytes: unknown, _document: unknown, task: () => Promise<unknown>) => task(),
    validateBody: () => Promise.reject(new Error('not asked')),
    planImport: async (_request: unknown, findPeople: (emails: readonly string[]) => Promise<unknown>) => {
      await findPeople(['ann@example.com']);
      throw new AppError('invalid', 'columns: required');
    },
  } as Services['documents'];
  const { post, reported } = await startFailing(t, transferOperations, { documents });
  const document = JSON.stringify({ attachments: [{ [CONTENT_KEY]: 'QUJD' }] });
  t.strictSame(await post('/boards/import', JSON_TYPE, document), [422, { detail: 'columns: required' }]);
  t.strictSame(reported, [
    [lost, 'a refused request was not cleaned up: releasing memberships that were not granted'],
    [lost, 'a refused request was not cleaned up: dropping its files'],
  ]);
});

t.test('ATT65 an import whose file cannot be stored drops it, whether it came with the document or is new', async (t) => {
  const dropped: string[] = [];
  const content: Services['content'] = {
    start: async () => true,
    append: () => Promise.reject(lost),
    drop: async (id) => void dropped.push(id),
    read: async () => new Uint8Array(),
  };
  const id = randomUUID();
  const documents = {
    inTurn: (_user: unknown, _bytes: unknown, _document: unknown, task: () => Promise<unknown>) => task(),
    planImport: async () => ({ takenFiles: [], newFiles: [{ id, bytes: Buffer.from('long') }] }),
  } as unknown as Services['documents'];
  const { post, reported } = await startFailing(t, transferOperations, { documents, content });
  const refused = [503, { detail: lost.message }];
  t.strictSame(await post('/boards/import', JSON_TYPE, JSON.stringify({ attachments: [{ [CONTENT_KEY]: 'QUJD' }] })), refused);
  t.equal(dropped.length, 1);
  t.strictSame(await post('/boards/import', JSON_TYPE, '{}'), refused);
  t.strictSame(dropped.slice(1), [id]);
  t.strictSame(reported, []);
});

t.test('ATT65 a refused invitation and a refused board get their own refusals', async (t) => {
  const error = { code: 'limit', detail: 'The board is full' } as const;
  const boards: Services['boards'] = {
    ask: async ({ op }) => (op === 'member.begin' ? { ok: true, json: null } : { ok: false, error }),
  };
  const { post, reported } = await startFailing(t, [...memberOperations, ...boardOperations], { boards });
  const refused = [409, { detail: 'The board is full' }];
  t.strictSame(await post(`/boards/${ID}/invite`, JSON_TYPE, JSON.stringify({ user_id: ID })), refused);
  t.strictSame(await post('/boards', JSON_TYPE, JSON.stringify({ title: 'Plans' })), refused);
  t.strictSame(reported, [
    [lost, 'a refused request was not cleaned up: releasing a membership that was not granted'],
    [lost, 'a refused request was not cleaned up: releasing the place of a board'],
  ]);
});
