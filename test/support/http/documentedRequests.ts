/** Random requests that the API document allows. */
import fc from 'fast-check';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { HeaderObject, OpenAPIObject, OperationObject, ParameterObject, RequestBodyObject } from 'openapi3-ts/oas31';
import type { ApiRequest } from './api.js';
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

  /** Whether requests differ in more than their keys. */
  isVaried({ operation }: DocumentedOperation): boolean {
    return operation.requestBody !== undefined || parametersIn(operation, 'query').length > 0;
  }

  #parameters(operation: OperationObject, place: 'query' | 'header', { ids }: Known): fc.Arbitrary<Record<string, string>> {
    const values = parametersIn(operation, place).map(
      ({ name, schema }) => [name, valuesOf(this.#ajv, schema as FuzzSchema, ids).map(String)] as const,
    );
    return fc.record(Object.fromEntries(values), { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;
  }

  #content({ name, operation }: DocumentedOperation, { ids, document }: Known): fc.Arbitrary<DocumentedRequest['content']> {
    const content = (operation.requestBody as RequestBodyObject | undefined)?.content ?? {};
    if (name === 'board.import') {
      const schema = this.#document.components?.schemas?.['IncomingBoard'] as FuzzSchema;
      return variationsOf(this.#ajv, schema, document).map((json) => ({ json }));
    }
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

/** Headers without a pattern have a grammar of their own, which no schema tells. */
function parametersIn(operation: OperationObject, place: 'query' | 'header'): ParameterObject[] {
  const all = (operation.parameters ?? []) as ParameterObject[];
  return all.filter((parameter) => parameter.in === place && (place === 'query' || (parameter.schema as FuzzSchema).pattern !== undefined));
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
