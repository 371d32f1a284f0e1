/** Validates answers against the service's own OpenAPI document: status, headers, content type, and every field of the body. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { MediaTypeObject, OpenAPIObject, ResponseObject } from 'openapi3-ts/oas31';
import { QUICK_TO_COMPILE } from '../schemaOptions.js';

export interface CheckedResponse {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** The names of its headers, in lower case. */
  readonly headers: Iterable<string>;
  /** Undefined if there is none. */
  readonly body: unknown;
}

interface Route {
  readonly template: string;
  readonly pattern: RegExp;
}

/** Headers specific to this answer: they must be documented, or clients cannot use them. */
const TELLING_HEADERS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'board-position',
  'content-disposition',
  'content-range',
  'etag',
  'idempotency-replayed',
  'location',
  'retry-after',
  'set-cookie',
  'www-authenticate',
]);

const DOCUMENT_ID = 'openapi';

export class ResponseChecker {
  readonly #document: OpenAPIObject;
  readonly #routes: readonly Route[];
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = closeObjects(document) as OpenAPIObject;
    this.#routes = Object.keys(this.#document.paths ?? {})
      .map((template) => ({ template, pattern: patternOf(template) }))
      // A literal segment takes precedence over a parameter, as in the router.
      .sort((a, b) => parameterCount(a.template) - parameterCount(b.template));
    this.#ajv = new Ajv2020(QUICK_TO_COMPILE);
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, DOCUMENT_ID);
  }

  /** Throws if the answer does not match the document. Paths and methods that are not in the document pass. */
  check(response: CheckedResponse): void {
    const path = (response.path.split('?')[0] ?? '').replace(/^\/api(?=\/)/, '');
    const template = this.#routes.find(({ pattern }) => pattern.test(path))?.template;
    if (template === undefined) return;
    const isHead = response.method === 'HEAD';
    const method = isHead ? 'get' : response.method.toLowerCase();
    const operation = this.#document.paths?.[template]?.[method as 'get'];
    if (operation === undefined) return;

    const fail = (problem: string): never => {
      throw new Error(`${response.method} ${response.path} answered ${response.status}: ${problem}`);
    };
    const documented = operation.responses?.[response.status] as ResponseObject | undefined;
    if (documented === undefined) return fail(`the status is not documented; body: ${JSON.stringify(response.body)}`);
    const described = Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase());
    for (const name of response.headers) {
      if (TELLING_HEADERS.has(name) && !described.includes(name)) fail(`the header ${name} is not documented`);
    }
    const content = documented.content ?? {};
    if (isHead || Object.keys(content).length === 0) {
      if (response.body !== undefined) fail('there is a body where none is documented');
      return;
    }
    const type = mediaTypeOf(response.contentType, content);
    if (type === undefined) return fail(`the content type ${response.contentType || '(none)'} is not documented`);
    if (type !== 'application/json') return;
    const pointer = ['paths', template, method, 'responses', `${response.status}`, 'content', type, 'schema'];
    const validate = this.#validatorFor(pointer);
    if (!validate(response.body)) {
      fail(`${this.#ajv.errorsText(validate.errors, { dataVar: 'body' })} in ${JSON.stringify(response.body)}`);
    }
  }

  #validatorFor(pointer: readonly string[]): ValidateFunction {
    const ref = `${DOCUMENT_ID}#/${pointer.map(escapePointer).join('/')}`;
    let validate = this.#validators.get(ref);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: ref });
      this.#validators.set(ref, validate);
    }
    return validate;
  }
}

/**
 * The document leaves objects open, so that clients tolerate future fields. Every field that is sent today must
 * nevertheless be documented: an undocumented field could be a secret.
 */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closeObjects(each)]));
  const isObjectSchema = closed['type'] === 'object' && typeof closed['properties'] === 'object';
  return isObjectSchema && closed['additionalProperties'] === undefined ? { ...closed, additionalProperties: false } : closed;
}

function patternOf(template: string): RegExp {
  const toPattern = (segment: string): string => (segment.startsWith('{') ? '[^/]+' : segment.replace(/\W/g, '\\$&'));
  return new RegExp(`^${template.split('/').map(toPattern).join('/')}$`);
}

function parameterCount(template: string): number {
  return template.split('{').length - 1;
}

/** The documented type that matches the one that was sent. */
function mediaTypeOf(contentType: string, content: Readonly<Record<string, MediaTypeObject>>): string | undefined {
  const sent = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return [sent, `${sent.split('/')[0]}/*`, '*/*'].find((type) => type in content);
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
