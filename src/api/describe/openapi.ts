/** Generates the OpenAPI 3.1 document from the table of operations. */
import { toJsonSchema, toJsonSchemaDefs, type ConversionConfig } from '@valibot/to-json-schema';
// Types only: the library includes a YAML parser, which would take a twentieth of the start time.
import type {
  ContentObject,
  HeaderObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  PathItemObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { KEY_HEADER, KEY_PATTERN, POSITION_HEADER, REPLAYED_HEADER } from '../operation/requestKey.js';
import { MAX_KEY_CHARACTERS } from '../../domain/idempotency.js';
import { CONVERSION } from './conversion.js';
import { exampleOf, type Definitions, type ExampleSchema } from './examples.js';
import { INTRODUCTION } from './introduction.js';
import { TAG_TEXTS } from './tags.js';
import type { BodySpec, DocumentSpec, FileSpec, Operation, OperationAccess, Schema, Success } from '../operation/operation.js';
import { pathParameterNames, pathParameterSchema } from '../operation/pathParameters.js';
import { NOT_ON_A_BOARD, refusesKeys, scopesFor } from '../operation/keyAccess.js';
import { Detail, NAMED_SCHEMAS } from '../schemas/resources.js';
import { IncomingBoard, TrelloExport } from '../schemas/transferSchemas.js';
import { BOARD_DOCUMENT_EXAMPLE, TRELLO_EXAMPLE } from './documentExample.js';
import { operations } from '../operations/table.js';
import { STATUS_OF, type Status } from '../operation/statuses.js';
import type { BoardOperation } from '../../domain/commands/commands.js';
import { CREATES } from '../../domain/commands/steps/lateRepeat.js';
import { HANDLERS } from '../../domain/commands/table.js';
import type { ErrorCode } from '../../domain/errors.js';

/** No control characters, which end the reading of a form. Programs that make forms write `"` and line breaks as `%22`, `%0D` and `%0A`. */
const FORM_HEADER_PATTERN = '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$';

const COMPONENTS = '#/components/schemas/';

/** Documented once for all operations: refusals for access, parameters and bodies. */
const REFUSALS = {
  malformed: 'The body does not match its content type',
  unauthenticated: 'The credential is missing or invalid',
  forbidden: 'The caller lacks the required role, or the API key the scope or the board',
  not_found: 'Not found',
  timeout: 'The body arrived too slowly',
  too_large: 'The body is too large',
  wrong_type: 'The content type is not supported',
  invalid: 'The input is invalid; `detail` names the field',
  too_many: 'The caller has too many of these requests running; `detail` names the limit',
  internal: 'The service failed; the cause is in its log',
  unavailable: 'The service cannot answer now; try again after `Retry-After` seconds',
} as const satisfies Partial<Record<ErrorCode, string>>;

type Refusal = keyof typeof REFUSALS;

const LIMIT_REFUSAL = 'The board has reached one of its limits; `detail` names it';

const BODY_REFUSALS: readonly Refusal[] = ['malformed', 'timeout', 'too_large', 'wrong_type', 'invalid'];

/** Headers of answers by status, for every operation. */
const STATUS_HEADERS: Readonly<Partial<Record<Status, Readonly<Record<string, string>>>>> = {
  206: { 'Content-Range': 'The range of the bytes, and the size of the file' },
  [STATUS_OF.unauthenticated]: { 'WWW-Authenticate': 'Bearer' },
  416: { 'Content-Range': 'The size of the file' },
  [STATUS_OF.too_many]: { 'Retry-After': 'The number of seconds to wait' },
  [STATUS_OF.unavailable]: { 'Retry-After': 'The number of seconds to wait' },
};

/** For all operations, or for those that are served. */
export function openApiDocument(version: string, described: readonly Operation[] = operations): OpenAPIObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Switchboard', version, description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
    // Relative to this document, so it is right below /api and below a proxy's prefix too.
    servers: [{ url: '.', description: 'This service. Every path is also served below `/api`.' }],
    paths: paths(described),
    components: {
      schemas: { ...withExamples(namedSchemas()), ...namedInputs() },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        key: { type: 'http', scheme: 'bearer', description: 'An API key of `POST /auth/keys`; the roles of an operation are its scopes' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'svc_auth' },
        login: { type: 'oauth2', flows: { password: { tokenUrl: 'auth/login', scopes: {} } } },
      },
    },
    tags: [...new Set(described.map(({ tag }) => tag))].map((name) => ({ name, description: TAG_TEXTS[name] ?? '' })),
  };
}

function paths(described: readonly Operation[]): Record<string, PathItemObject> {
  const items: Record<string, PathItemObject> = {};
  for (const operation of described) {
    (items[operation.path] ??= {})[operation.method.toLowerCase() as 'get'] = describe(operation);
  }
  return items;
}

function describe(operation: Operation): OperationObject {
  const { body, success } = operation;
  return {
    operationId: operation.name,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, ACCESS_TEXT[operation.access]].filter(Boolean).join('\n\n'),
    security: operation.access === 'public' ? [] : [{ bearer: [] }, { cookie: [] }, { login: [] }, ...keySecurity(operation)],
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)],
    ...(body === null ? {} : { requestBody: { required: true, content: requestContent(body, operation) } }),
    responses: {
      [success.status]: {
        description: success.description,
        ...documentedHeaders({ ...success.headers, ...keptHeaders(operation) }),
        ...successContent(success),
      },
      ...lateRepeat(operation),
      ...refusals(operation),
    },
  };
}

function keySecurity(operation: Operation): Array<{ key: string[] }> {
  return refusesKeys(operation) ? [] : [{ key: [...scopesFor(operation)] }];
}

function requestContent(body: BodySpec | FileSpec | DocumentSpec, operation: Operation): ContentObject {
  switch (body.kind) {
    case 'json':
      return { 'application/json': exemplified(inputSchema(body.schema), operation.name) };
    case 'form':
      return { 'application/x-www-form-urlencoded': exemplified(inputSchema(body.schema), operation.name) };
    case 'document':
      return { 'application/json': { schema: inputSchema(body.schema) } };
    case 'file': {
      const file: SchemaObject = { type: 'string', contentMediaType: 'application/octet-stream' };
      const head: HeaderObject = {
        description: 'The name of the file. Of a path the last part counts; `file` stands for none.',
        schema: { type: 'string', pattern: FORM_HEADER_PATTERN },
      };
      const encoding = { file: { headers: { 'Content-Disposition': head } } };
      return {
        'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file } }, encoding },
        ...(body.instead === undefined ? {} : requestContent(body.instead, operation)),
      };
    }
  }
}

function successContent({ schema, contentType }: Success): { content?: ContentObject } {
  if (schema === undefined && contentType === undefined) return {};
  const json = schema === undefined ? {} : { 'application/json': { schema: outputSchema(schema) } };
  return { content: { ...json, ...(contentType === undefined ? {} : { [contentType]: {} }) } };
}

const ACCESS_TEXT: Record<OperationAccess, string> = {
  public: '',
  user: '',
  superuser: 'The caller must be a superuser.',
  metrics: 'The caller must be a superuser or send the token of the setting `METRICS_TOKEN`.',
  viewer: 'The caller must be on the board, in any role.',
  commenter: 'The caller must be on the board, at least as a commenter.',
  member: 'The caller must be a member or an owner of the board.',
  owner: 'The caller must be an owner of the board.',
  self_or_owner: 'The caller must be an owner of the board, or the user in the path.',
};

function pathParameters(operation: Operation): ParameterObject[] {
  return pathParameterNames(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: pathParameterSchema(name),
  }));
}

function queryParameters(operation: Operation): ParameterObject[] {
  return Object.entries(operation.query).map(([name, { description, document }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: document as SchemaObject,
  }));
}

function headerParameters({ requestHeaders = {}, method, isAnswerKept }: Operation): ParameterObject[] {
  const parameters = Object.entries(requestHeaders).map(([name, description]): ParameterObject => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
  return method === 'GET' ? parameters : [...parameters, keyParameter(isAnswerKept ?? true)];
}

function keyParameter(isAnswerKept: boolean): ParameterObject {
  const description = isAnswerKept
    ? 'Makes the request safe to repeat: see *Safe retries*'
    : 'Accepted without effect: the answer to this request is never kept';
  return {
    name: KEY_HEADER,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_CHARACTERS, pattern: KEY_PATTERN },
  };
}

/** Of a create whose repetition is recognised by the id of what it made. */
function lateRepeat({ name, success, lateSchema }: Operation): ResponsesObject {
  if (name !== 'board.create' && lateSchema === undefined && !Object.hasOwn(CREATES, name)) return {};
  const late = lateSchema === undefined ? success : { ...success, schema: lateSchema };
  const description = 'The caller created it with this key earlier, and the answer is no longer kept: as it is now';
  return { '200': { description, ...documentedHeaders({ [REPLAYED_HEADER]: '`true`' }), ...successContent(late) } };
}

/** Of the answer to a change. */
function keptHeaders({ name, method, isAnswerKept }: Operation): Readonly<Record<string, string>> {
  if (method === 'GET' || isAnswerKept === false) return {};
  const replayed = { [REPLAYED_HEADER]: '`true` if it is the kept answer to an earlier request' };
  return changesBoard(name) ? { [POSITION_HEADER]: POSITION_TEXT, ...replayed } : replayed;
}

const POSITION_TEXT = 'The position of the board after the change, as `since` takes it: `<number>` or `<epoch>-<number>`';

function refusals(operation: Operation): ResponsesObject {
  const codes = new Set<Refusal>(['internal', 'unavailable']);
  if (operation.access !== 'public') codes.add('unauthenticated').add('forbidden');
  if (isBoardAccess(operation.access)) codes.add('not_found');
  if (operation.path.includes('{') || Object.keys(operation.query).length > 0) codes.add('invalid');
  if (operation.method !== 'GET') codes.add('invalid');
  if (operation.body !== null) for (const code of BODY_REFUSALS) codes.add(code);
  if (operation.quota !== undefined) codes.add('too_many');
  const described: Partial<Record<Status, string>> = {};
  for (const code of codes) described[STATUS_OF[code]] = REFUSALS[code];
  Object.assign(described, operation.errors);
  if (canGrow(operation.name)) {
    described[STATUS_OF.limit] = [operation.errors[STATUS_OF.limit], LIMIT_REFUSAL].filter(Boolean).join('. ');
  }
  return Object.fromEntries(
    Object.entries(described).map(([status, description]) => [status, refusal(Number(status) as Status, description, operation)]),
  );
}

/** Whether it runs a command of a board that a limit can refuse. */
function canGrow(name: string): boolean {
  if (!isBoardOperation(name)) return false;
  const handler = HANDLERS[name];
  return handler.effect === 'write' && handler.grows;
}

function changesBoard(name: string): boolean {
  return isBoardOperation(name) && HANDLERS[name].effect === 'write';
}

function isBoardOperation(name: string): name is BoardOperation {
  return Object.hasOwn(HANDLERS, name);
}

function refusal(status: Status, description: string, operation: Operation): object {
  if (status < 400 && status !== 308) {
    const content = status === 304 ? {} : successContent(operation.success);
    return { description, ...documentedHeaders({ ...operation.success.headers, ...STATUS_HEADERS[status] }), ...content };
  }
  const own = operation.errorSchemas?.[status];
  return {
    description,
    ...documentedHeaders({ ...STATUS_HEADERS[status], ...operation.errorHeaders?.[status] }),
    content: { 'application/json': { schema: own === undefined ? DETAIL : outputSchema(own) } },
  };
}

function isBoardAccess(access: OperationAccess): boolean {
  return !NOT_ON_A_BOARD.has(access);
}

function documentedHeaders(texts: Readonly<Record<string, string>> = {}): { headers?: Record<string, object> } {
  const headers = Object.entries(texts).map(([name, description]) => [name, { description, schema: { type: 'string' } }]);
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) as Record<string, object> };
}

const TO_COMPONENTS: ConversionConfig = {
  ...CONVERSION,
  target: 'draft-2020-12',
  overrideRef: ({ referenceId }) => COMPONENTS + referenceId,
};

/** Converted once: nearly every refusal of every operation has this body, and a conversion looks at all named schemas. */
const DETAIL = outputSchema(Detail);

function namedSchemas(): Record<string, SchemaObject> {
  return toJsonSchemaDefs(NAMED_SCHEMAS, { ...TO_COMPONENTS, typeMode: 'output' }) as unknown as Record<string, SchemaObject>;
}

/** What requests may contain, if that is more than an operation of its own. */
const NAMED_INPUTS = { IncomingBoard, TrelloExport };

function namedInputs(): Record<string, SchemaObject> {
  const schemas = toJsonSchemaDefs(NAMED_INPUTS, { ...TO_COMPONENTS, typeMode: 'input' }) as unknown as Record<
    keyof typeof NAMED_INPUTS,
    SchemaObject
  >;
  return {
    IncomingBoard: { ...schemas.IncomingBoard, examples: [BOARD_DOCUMENT_EXAMPLE] },
    TrelloExport: { ...schemas.TrelloExport, examples: [TRELLO_EXAMPLE] },
  };
}

function inputSchema(schema: Schema): SchemaObject {
  return withoutDefinitions(toJsonSchema(schema, { ...TO_COMPONENTS, definitions: NAMED_INPUTS, typeMode: 'input' }));
}

/** Each named schema with an example of itself. */
function withExamples(schemas: Record<string, SchemaObject>): Record<string, SchemaObject> {
  const definitions = schemas as unknown as Definitions;
  const find = (reference: string): ExampleSchema => definitions[reference.slice(COMPONENTS.length)] ?? {};
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...schema, examples: [exampleOf(schema as ExampleSchema, find, name)] }]),
  );
}

function exemplified(schema: SchemaObject, operation: string): { schema: SchemaObject; example: unknown } {
  return { schema, example: exampleOf(schema as ExampleSchema, () => ({}), operation) };
}

function outputSchema(schema: Schema): SchemaObject {
  return withoutDefinitions(toJsonSchema(schema, { ...TO_COMPONENTS, definitions: NAMED_SCHEMAS, typeMode: 'output' }));
}

function withoutDefinitions(schema: object): SchemaObject {
  const { $schema, $defs, ...rest } = schema as { $schema?: string; $defs?: object };
  return rest as SchemaObject;
}
