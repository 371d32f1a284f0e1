import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { OpenAPIObject, OperationObject, ParameterObject, RequestBodyObject } from 'openapi3-ts/oas31';
import { valuesOf, type FuzzSchema, type KnownIds } from '../support/http/schemaArbitrary.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';

/** For each operation; each is one request over HTTP. */
const RUNS = 20;
/** Statuses of a request whose form is wrong. */
const WRONG_FORM = [400, 413, 415, 422];

/** What a request of random values cannot be about, and why. */
const LEFT_OUT: ReadonlyArray<readonly [operations: RegExp, reason: string]> = [
  [/^auth\.|^session\.|^factor\.|^key\.|^sso\./, 'they need the password, a code or a link, or end the session that asks'],
  [/^invitation\./, 'an invitation needs the token of a link, or a role that the caller may give'],
  [/^rule\.update$/, 'the stored rule decides which references it needs'],
  [/^admin\.|^audit\./, 'they are for superusers'],
  [/^board\.import$|^attachment\.create$/, 'their bodies are documents and files, which have tests of their own'],
  [/^board\.export$|^metrics$|^attachment\.get$/, 'their answers are not of this kind'],
];

interface Furnished {
  readonly owner: TestUser;
  readonly ids: KnownIds;
}

async function furnish({ api }: TestApp): Promise<Furnished> {
  const [owner, member] = [await newUser(api), await newUser(api)];
  const { token } = owner;
  const create = async (path: string, json: object): Promise<string> => (await api.request<{ id: string }>('POST', path, { token, json })).body.id;
  const board_id = await create('/boards', { title: 'Plans' });
  await api.request('POST', `/boards/${board_id}/invite`, { token, json: { user_id: member.id } });
  const column_id = await create(`/boards/${board_id}/columns`, { title: 'To do' });
  const label_id = await create(`/boards/${board_id}/labels`, { name: 'urgent' });
  const card_id = await create(`/boards/${board_id}/columns/${column_id}/cards`, { title: 'Call Ann' });
  const checklist_id = await create(`/cards/${card_id}/checklists`, { title: 'Steps' });
  const item_id = await create(`/checklists/${checklist_id}/items`, { content: 'Find the number' });
  const rule = { name: 'Move', trigger_type: 'CARD_CREATED', action_type: 'MOVE_TO_COLUMN', action_column_id: column_id };
  const rule_id = await create(`/boards/${board_id}/automations`, rule);
  const user_id = member.id;
  const ids = { board_id, column_id, label_id, card_id, checklist_id, item_id, rule_id, user_id };
  const references = { trigger_column_id: column_id, action_column_id: column_id, trigger_label_id: label_id, action_user_id: user_id };
  return { owner, ids: { ...ids, ...references } };
}

interface Fuzzed {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

function operationsOf(document: OpenAPIObject): Fuzzed[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (Object.entries(item) as Array<[string, OperationObject]>).flatMap(([method, operation]) => {
      const name = operation.operationId ?? '';
      // What is deleted is missed by the others; deletions have tests of their own.
      const isLeftOut = method === 'delete' || LEFT_OUT.some(([pattern]) => pattern.test(name));
      return isLeftOut ? [] : [{ name, method: method.toUpperCase(), path, operation }];
    }),
  );
}

/** A request that the document allows. */
function requestsFor(ajv: Ajv2020, { path, operation }: Fuzzed, ids: KnownIds): fc.Arbitrary<{ address: string; body: unknown }> {
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, valuesOf(ajv, schema as FuzzSchema, ids)])), {
    requiredKeys: [],
  });
  const schema = (operation.requestBody as RequestBodyObject | undefined)?.content['application/json']?.schema as FuzzSchema | undefined;
  const body = schema === undefined ? fc.constant(undefined) : valuesOf(ajv, schema, ids);
  return fc.record({ query, body }).map(({ query: given, body: content }) => {
    const target = path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? '');
    const search = new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]));
    return { address: search.size === 0 ? target : `${target}?${search}`, body: content };
  });
}

t.test('HTTP16 no request that the document allows is refused for its form, and every answer is documented', async (t: Test) => {
  const app = await startTestApp(t, { MAX_PROFILE_CHANGES_PER_MINUTE: '1000' });
  const { owner, ids } = await furnish(app);
  const document = (await app.api.request<OpenAPIObject>('GET', '/openapi.json')).body;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const fuzzed = operationsOf(document);
  t.ok(fuzzed.length > 35, `${fuzzed.length} operations`);
  let requests = 0;
  for (const each of fuzzed) {
    const property = fc.asyncProperty(requestsFor(ajv, each, ids), async ({ address, body }) => {
      // Also validates status, headers and body of the answer against the document.
      const { status, body: answer } = await app.api.request(each.method, address, {
        token: owner.token,
        ...(body === undefined ? {} : { json: body }),
      });
      requests += 1;
      if (WRONG_FORM.includes(status)) throw new Error(`${each.method} ${address} got ${status}: ${JSON.stringify(answer)}`);
    });
    await t.resolves(fc.assert(property, { numRuns: RUNS, endOnFailure: true, interruptAfterTimeLimit: 20_000 }), each.name);
  }
  t.ok(requests >= fuzzed.length, `${requests} requests`);
});
