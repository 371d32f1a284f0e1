import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import t from 'tap';
import { readFile } from 'node:fs/promises';
import type { OpenAPIObject, OperationObject, ParameterObject, RequestBodyObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { openApiDocument } from '../../src/api/describe/openapi.js';
import { answer, operation, type Operation } from '../../src/api/operation/operation.js';
import { operations } from '../../src/api/operations/table.js';
import { Health } from '../../src/api/schemas/resources.js';
import { EVENT_TYPES } from '../../src/domain/events.js';
import { packagePath } from '../../src/paths.js';
import { VERSION } from '../../src/version.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';

const app = await startTestApp(t);
const DOCUMENT = openApiDocument(VERSION);

t.test('HTTP16 the API document is served, and the copy in the repository is up to date', async (t) => {
  const { api } = app;
  const { status, headers, body } = await api.request('GET', '/openapi.json');
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'no-cache');
  const made = JSON.parse(JSON.stringify(DOCUMENT)) as unknown;
  // Not compared by the test framework, whose difference would be longer than the document.
  t.ok(JSON.stringify(body) === JSON.stringify(made), 'the served document is generated from the table of operations');
  const kept: unknown = JSON.parse(await readFile(packagePath('schema', 'openapi.json'), 'utf8'));
  t.ok(JSON.stringify(kept) === JSON.stringify(made), 'schema/openapi.json is stale: npm run openapi');
});

t.test('HTTP16 the API document describes the allowed colours, positions and enumerations', async (t) => {
  const described = (name: string): unknown[] => {
    const bodies = Object.values(DOCUMENT.paths ?? {})
      .flatMap((path) => Object.values(path) as OperationObject[])
      .map(({ requestBody }) => (requestBody as RequestBodyObject | undefined)?.content['application/json']?.schema);
    const fields = bodies.flatMap((schema) => (schema as SchemaObject | undefined)?.properties?.[name] ?? []);
    // One that may be null is a choice of two.
    const forms = fields.map((field) => (field as SchemaObject).anyOf?.[0] ?? field) as SchemaObject[];
    return [...new Set(forms.map(({ description }) => description))];
  };
  t.match(described('color'), [/#rrggbbaa.*CSS/]);
  t.match(described('position'), [/0-based.*beyond the end means last/]);
  for (const name of ['trigger_type', 'action_type']) t.match(described(name), [/Accepted in any case/]);
  t.match(DOCUMENT.info.description, /JSON body has at most 1 MiB/);
});

t.test('HTTP16 the API document names the headers of conditional and partial requests', (t) => {
  const { paths = {} } = DOCUMENT;
  const headersOf = (path: string): unknown[] => {
    const parameters = (paths[path]?.get?.parameters ?? []) as readonly ParameterObject[];
    return parameters.filter(({ in: place, required }) => place === 'header' && !required).map(({ name }) => name);
  };
  t.strictSame(headersOf('/boards/{board_id}'), ['If-None-Match']);
  t.strictSame(headersOf('/attachments/{attachment_id}'), ['Range', 'If-Range', 'If-None-Match']);
  t.strictSame(headersOf('/cards/{card_id}'), []);
  t.end();
});

t.test('HTTP16 every schema in the API document is valid JSON Schema 2020-12', async (t) => {
  const ajv = new Ajv2020({ strict: false });
  const schemas = schemasIn(JSON.parse(JSON.stringify(DOCUMENT)));
  t.ok(schemas.length > 100, 'there are many');
  for (const schema of schemas) {
    if (ajv.validateSchema(schema) !== true) t.fail(JSON.stringify(schema), { errors: ajv.errors });
  }
});

t.test('HTTP16 an error has the body that its operation declares, and otherwise `Detail`', async (t) => {
  const own = operation({
    name: 'own',
    method: 'GET',
    path: '/own',
    access: 'user',
    tag: 'Test',
    summary: 'Has its own body for 409',
    success: { status: 200, description: 'Done' },
    errors: { 409: 'Not now' },
    errorSchemas: { 409: Health },
    handle: async () => answer({}),
  });
  const schemaOf = (described: readonly Operation[], path: string, status: number): unknown => {
    const response = openApiDocument(VERSION, described).paths?.[path]?.get?.responses?.[status] as ResponseObject;
    return response.content?.['application/json']?.schema;
  };
  t.strictSame(schemaOf([own], '/own', 409), { $ref: '#/components/schemas/Health' });
  t.strictSame(schemaOf([own], '/own', 503), { $ref: '#/components/schemas/Detail' });
  t.strictSame(schemaOf(operations, '/health', 503), { $ref: '#/components/schemas/Health' });
});

t.test('HTTP16 every tag is described, and every example is what its schema allows', async (t) => {
  const document = JSON.parse(JSON.stringify(DOCUMENT)) as OpenAPIObject;
  t.strictSame(
    document.servers?.map(({ url }) => url),
    ['.'],
  );
  for (const { name, description } of document.tags ?? []) t.ok((description ?? '').length > 10, name);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const schemas = Object.entries(document.components?.schemas ?? {}) as Array<[string, SchemaObject]>;
  for (const [name, { examples }] of schemas) {
    const [example] = examples ?? [];
    t.ok(example, `${name} has an example`);
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
    t.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`);
  }
  const bodies = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item) as OperationObject[]);
  let exemplified = 0;
  for (const { operationId, requestBody } of bodies) {
    for (const { schema, example } of Object.values((requestBody as RequestBodyObject | undefined)?.content ?? {})) {
      if (example === undefined) continue;
      exemplified += 1;
      const validate = ajv.compile(schema as object);
      t.ok(validate(example), `${operationId}: ${ajv.errorsText(validate.errors)}`);
    }
  }
  t.ok(exemplified > 30, `${exemplified} bodies have an example`);
});

t.test('HTTP16 the examples of board documents, ours and of Trello, can be imported, and nothing of them is left out', async (t) => {
  const { api } = app;
  const { token } = await newUser(api, { email: 'ann@example.org', username: 'ann' });
  const { body: document } = await api.request<OpenAPIObject>('GET', '/openapi.json');
  const imported = async (name: string): Promise<unknown> => {
    const { examples = [] } = (document.components?.schemas?.[name] ?? {}) as SchemaObject;
    t.equal(examples.length, 1, name);
    const { status, body } = await api.request<{ board: { id: string }; left_out: unknown[] }>('POST', '/boards/import', {
      token,
      json: examples[0],
    });
    t.equal(status, 201);
    t.strictSame(body.left_out, []);
    return (await api.request('GET', `/boards/${body.board.id}/export`, { token })).body;
  };
  const exported = await imported('IncomingBoard');
  t.match(exported, { title: 'Spring catalogue', icon: '🚀', columns: [{ cards: [{ checklists: [{}], attachments: [{}], comments: [{}] }] }, {}] });
  t.match(exported, { rules: [{ is_enabled: true }] }, 'what the rule refers to was found');
  const { labels, columns } = (await imported('TrelloExport')) as { labels: Array<{ id: string }>; columns: object[] };
  t.match(labels, [{ name: 'urgent' }]);
  const checklists = [{ title: 'Before it goes out', items: [{ content: 'Find the number', is_done: true }] }];
  t.match(columns, [{ title: 'To do', cards: [{ title: 'Call the printer', labels: [labels[0]?.id], checklists }] }]);
});

t.test('DOCS1 the documents are served as Markdown, and llms.txt says where', async (t) => {
  const { url } = app;
  const llms = await (await fetch(`${url}/llms.txt`)).text();
  t.match(llms, /^# Switchboard\n\n> /);
  for (const [, path = ''] of llms.matchAll(/\]\(([^)]+)\)/g)) {
    const response = await fetch(`${url}/${path}`);
    t.equal(response.status, 200, path);
    if (path.endsWith('.md')) t.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8');
  }
  const api = await (await fetch(`${url}/docs/api.md`)).text();
  for (const { method, path } of operations) t.ok(api.includes(`### ${method} ${path}\n`), `${method} ${path}`);
  const events = await (await fetch(`${url}/api/docs/events.md`)).text();
  for (const type of EVENT_TYPES) t.equal(events.split(`#### ${type}\n`).length, 3, `${type} is described for both sockets`);
});

/** Those of parameters, bodies and answers, and the named ones. */
function schemasIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): object[] => {
    if (key === 'schema') return [inner as object];
    return key === 'schemas' ? Object.values(inner as Record<string, object>) : schemasIn(inner);
  });
}
