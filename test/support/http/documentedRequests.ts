/** Random requests that the API document allows. */
import fc from 'fast-check';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { HeaderObject, OpenAPIObject, OperationObject, ParameterObject, RequestBodyObject } from 'openapi3-ts/oas31';
import type { ApiRequest } from './api.js';
import { BATCHABLE } from '../../../src/domain/commands/commands.js';
import { valuesOf, variationsOf, type FuzzSchema, type KnownIds } from './schemaArbitrary.js';

export interface DocumentedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function operationsOf(document: OpenAPIObject): DocumentedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (Object.entries(item) as Array<[string, OperationObject]>).map(([method, operation]) => ({
      name: operation.operationId ?? '',
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export interface DocumentedRequest {
  /** With its query. */
  readonly address: string;
  readonly content: Pick<ApiRequest, 'json' | 'form' | 'body'>;
  readonly headers: Readonly<Record<string, string>>;
}

/** What there is to name. */
export interface Known {
  readonly ids: KnownIds;
  /** An exported board. */
  readonly document: unknown;
}

/** The parts of a random export are about each other. */
const TRELLO_IDS: KnownIds = { id: 'a', idList: 'a', idLabel: 'a', idMember: 'a', idChecklist: 'a', idAttachment: 'a', type: 'commentCard' };

export class DocumentedRequests {
  readonly #ajv: Ajv2020;
  readonly #document: OpenAPIObject;

  constructor(ajv: Ajv2020, document: OpenAPIObject) {
    this.#ajv = ajv;
    this.#document = document;
  }

  for(documented: DocumentedOperation, known: Known): fc.Arbitrary<DocumentedRequest> {
    const { path, operation } = documented;
    const parts = { query: this.#parameters(operation, 'query', known), headers: this.#parameters(operation, 'header', known) };
    return fc.record({ ...parts, content: this.#content(documented, known) }).map(({ query, headers, content }) => {
      const target = path.replace(/\{(\w+)\}/g, (_match, name: string) => idIn(known.ids, name));
      const search = new URLSearchParams(query);
      return { address: search.size === 0 ? target : `${target}?${search}`, headers, content };
    });
  }

  /** The same with something else in the place of one of its parts. */
  broken(documented: DocumentedOperation, known: Known): fc.Arbitrary<DocumentedRequest> {
    return this.for(documented, known).chain((made) => fc.oneof(...faultsOf(documented, made)));
  }

  canBreak({ path, operation }: DocumentedOperation): boolean {
    return path.includes('{') || operation.requestBody !== undefined || parametersIn(operation, 'query').length > 0;
  }

  /** Whether requests differ in more than their keys. */
  isVaried({ operation }: DocumentedOperation): boolean {
    return operation.requestBody !== undefined || parametersIn(operation, 'query').length > 0;
  }

  #batches(known: Known): fc.Arbitrary<{ operations: Batched[] }> {
    const batchable = operationsOf(this.#document).filter(
      ({ name }) => BATCHABLE.some((each) => each === name) && !TAKES_AWAY.test(name) && name !== DEPENDS,
    );
    const any = fc.oneof(
      ...batchable.map((each) =>
        this.for(each, known).map(({ address, content }) => ({
          name: each.name,
          method: each.method,
          path: address,
          ...(content.json === undefined ? {} : { body: content.json }),
        })),
      ),
    );
    const lists = fc.array(any, { minLength: 1, maxLength: MAX_BATCHED });
    return fc.tuple(lists, fc.boolean()).map(([list, refers]) => ({ operations: withReferences(list, refers ? known.ids : {}) }));
  }

  #parameters(operation: OperationObject, place: 'query' | 'header', { ids }: Known): fc.Arbitrary<Record<string, string>> {
    const values = parametersIn(operation, place).map(
      ({ name, schema }) => [name, valuesOf(this.#ajv, schema as FuzzSchema, ids, name).map(String)] as const,
    );
    return fc.record(Object.fromEntries(values), { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;
  }

  #content({ name, operation }: DocumentedOperation, { ids, document }: Known): fc.Arbitrary<DocumentedRequest['content']> {
    const content = (operation.requestBody as RequestBodyObject | undefined)?.content ?? {};
    if (name === 'board.import') {
      const { IncomingBoard, TrelloExport } = (this.#document.components?.schemas ?? {}) as Record<string, FuzzSchema>;
      const boards = fc.oneof(variationsOf(this.#ajv, IncomingBoard ?? {}, document), valuesOf(this.#ajv, TrelloExport ?? {}, TRELLO_IDS));
      return boards.map((json) => ({ json }));
    }
    if (name === 'board.batch') return this.#batches({ ids, document }).map((json) => ({ json }));
    const multipart = content['multipart/form-data'];
    if (multipart !== undefined) {
      const head = multipart.encoding?.['file']?.headers?.['Content-Disposition'] as HeaderObject;
      return filesOf(valuesOf(this.#ajv, head.schema as FuzzSchema, ids) as fc.Arbitrary<string>);
    }
    const json = content['application/json']?.schema as FuzzSchema | undefined;
    if (json !== undefined) return valuesOf(this.#ajv, json, ids).map((value) => ({ json: value }));
    const form = content['application/x-www-form-urlencoded']?.schema as FuzzSchema | undefined;
    if (form !== undefined) return valuesOf(this.#ajv, form, ids).map((value) => ({ form: value as Record<string, string> }));
    return fc.constant({});
  }
}

/** What a batch creates, by the name that later operations have for its id. */
const CREATED: Readonly<Record<string, string>> = {
  'column.create': 'column_id',
  'card.create': 'card_id',
  'label.create': 'label_id',
  'checklist.create': 'checklist_id',
  'item.create': 'item_id',
  'comment.create': 'comment_id',
};
/** They take away what the next requests need. */
const TAKES_AWAY = /\.(?:delete|archive|restore|unassign|removeLabel)$/;
/** The document of a change alone cannot tell whether the rule that it leads to is whole. */
const DEPENDS = 'rule.update';
const MAX_BATCHED = 4;

interface Batched {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Later operations name what earlier ones create by `$n.id`. */
function withReferences(operations: ReadonlyArray<Batched & { readonly name: string }>, ids: KnownIds): Batched[] {
  const references = new Map<string, string>();
  return operations.map(({ name, method, path, body }, index) => {
    let text = JSON.stringify({ method, path, ...(body === undefined ? {} : { body }) });
    for (const [id, reference] of references) text = text.replaceAll(id, reference);
    const created = ids[CREATED[name] ?? ''];
    if (created !== undefined) references.set(created, `$${index}.id`);
    return JSON.parse(text) as Batched;
  });
}

/** Headers without a pattern have a grammar of their own, which no schema tells. */
function parametersIn(operation: OperationObject, place: 'query' | 'header'): ParameterObject[] {
  const all = (operation.parameters ?? []) as ParameterObject[];
  return all.filter((parameter) => parameter.in === place && (place === 'query' || (parameter.schema as FuzzSchema).pattern !== undefined));
}

/** Longer lines are answered before they are ours to read, see the known limits. */
const MAX_IN_ADDRESS = 1_000;

const HARD_TEXTS = ['', ' ', '\u0000', '\ud800', '__proto__', '\u202e', 'x'.repeat(70_000), '-1', 'null', '$0.id'];
const HARD_NUMBERS = [-1, 0.5, 1e308, -0, Number.MAX_SAFE_INTEGER];
/** Of every type, and texts that are hard to store, to count and to show. Made once, as are the next: that takes longer than a request. */
const ANYTHING: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(...HARD_TEXTS, ...HARD_NUMBERS),
  fc.constantFrom(null, undefined),
);
/** These a client takes out of an address, which is then that of another operation. */
const DOTS = /^(?:\.|%2e){1,2}$/i;
const SEGMENTS = fc.oneof(
  fc.constantFrom('x', '%00', '%', '00000000-0000-0000-0000-000000000000', 'a'.repeat(MAX_IN_ADDRESS)),
  fc.webSegment().filter((segment) => !DOTS.test(segment)),
);
const VALUES = fc.oneof(ANYTHING, fc.string()).map((any) => textOf(any).slice(0, MAX_IN_ADDRESS));
const BODIES = fc.constantFrom('', '{', '{"a":', '[]', 'null', '"', '{"title":"a","title":"b"}', '\u0000');
const CONTENT_TYPES = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', '');

/** An object may have no way to become a text by itself. */
function textOf(any: unknown): string {
  return typeof any === 'object' ? JSON.stringify(any) : String(any);
}

function faultsOf({ path, operation }: DocumentedOperation, made: DocumentedRequest): Array<fc.Arbitrary<DocumentedRequest>> {
  const faults: Array<fc.Arbitrary<DocumentedRequest>> = [];
  const { address, headers, content } = made;
  if (path.includes('{')) {
    const segments = address.split('/');
    const places = path.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []));
    faults.push(fc.tuple(fc.constantFrom(...places), SEGMENTS).map(([place, text]) => ({ ...made, address: segments.with(place, text).join('/') })));
  }
  const names = parametersIn(operation, 'query').map(({ name }) => name);
  if (names.length > 0) {
    const [base = ''] = address.split('?');
    faults.push(fc.tuple(fc.constantFrom(...names), VALUES).map(([name, text]) => ({ ...made, address: `${base}?${query(name, text)}` })));
  }
  if (operation.requestBody === undefined) return faults;
  const asText = (body: string, type: string): DocumentedRequest => ({ ...made, headers: { ...headers, 'content-type': type }, content: { body } });
  faults.push(fc.tuple(BODIES, CONTENT_TYPES).map(([body, type]) => asText(body, type)));
  const { json, form } = content;
  if (typeof json === 'object' && json !== null) {
    faults.push(
      ANYTHING.map((value) => ({ ...made, content: { json: value === undefined ? {} : value } })),
      withFault(json, fieldsOf(operation)).map((value) => ({ ...made, content: { json: value } })),
    );
  }
  if (form !== undefined) {
    faults.push(withFault(form, []).map((value) => ({ ...made, content: { form: value as Record<string, string> } })));
  }
  return faults;
}

/** One field, which need not be there, has another value or none. */
function withFault(value: object, names: readonly string[]): fc.Arbitrary<unknown> {
  const fields = [...new Set([...Object.keys(value), ...names])];
  if (fields.length === 0) return fc.constant({ unknown: 1 });
  return fc.tuple(fc.constantFrom(...fields), ANYTHING).map(([name, other]) => {
    const { [name]: _replaced, ...others } = value as Record<string, unknown>;
    return other === undefined ? others : { ...others, [name]: other };
  });
}

function fieldsOf(operation: OperationObject): string[] {
  const schema = (operation.requestBody as RequestBodyObject).content['application/json']?.schema as FuzzSchema | undefined;
  return Object.keys(schema?.properties ?? {});
}

/** Characters that have no bytes are replaced, as browsers do. */
function query(name: string, text: string): string {
  return String(new URLSearchParams({ [name]: text.toWellFormed() }));
}

function idIn(ids: KnownIds, name: string): string {
  const id = ids[name];
  // A request for nothing would be answered with 404, whatever its body.
  if (id === undefined) throw new Error(`The board has no ${name} to ask for`);
  return id;
}

function filesOf(names: fc.Arbitrary<string>): fc.Arbitrary<DocumentedRequest['content']> {
  return fc.record({ name: names, bytes: fc.uint8Array({ maxLength: 2_000 }) }).map(({ name, bytes }) => {
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(bytes)]), name);
    return { body: form };
  });
}
