/** What the API document says of an operation, as options of a command. */
import { readFileSync } from 'node:fs';
import type { OpenAPIObject, OperationObject, ParameterObject, RequestBodyObject, SchemaObject } from 'openapi3-ts/oas31';
import { packagePath } from '../../paths.js';
import { parseUuid } from '../../domain/ids.js';
import type { Option } from '../command.js';
import { UsageError } from '../outcome.js';

type Kind = 'text' | 'id' | 'integer' | 'boolean' | 'list';

/** A field of the body, or an id of the path after the first. */
export interface Field {
  /** As the service calls it. */
  readonly name: string;
  readonly place: 'path' | 'body';
  readonly kind: Kind;
  readonly isNullable: boolean;
}

export interface DescribedOperation {
  /** Of the first id of the path; null if it has none. */
  readonly target: string | null;
  readonly fields: Readonly<Record<string, Field>>;
  readonly options: Readonly<Record<string, Option>>;
}

/** People know a column by its title, and ids are found nowhere on the board. */
export const NAMED_BY_TITLE = 'column_id';

const PLACEHOLDERS: Readonly<Record<Kind, string>> = { text: 'text', id: 'id', integer: 'number', boolean: 'true or false', list: 'list' };

export function describeOperation(operationId: string): DescribedOperation {
  const { parameters = [], requestBody } = findOperation(operationId);
  const [target, ...others] = (parameters as ParameterObject[]).filter((parameter) => parameter.in === 'path');
  const body = (requestBody as RequestBodyObject | undefined)?.content['application/json']?.schema as SchemaObject | undefined;
  const fields: Record<string, Field> = {};
  const options: Record<string, Option> = {};
  const add = (name: string, place: Field['place'], schema: SchemaObject, isRequired: boolean): void => {
    const option = optionName(name);
    const field = { name, place, ...readSchema(schema) };
    fields[option] = field;
    options[option] = {
      type: 'string',
      placeholder: name === NAMED_BY_TITLE ? 'id or title' : PLACEHOLDERS[field.kind],
      ...(isRequired ? { required: true } : {}),
      ...(field.kind === 'list' ? { canBeEmpty: true } : {}),
      meaning: meaningOf(name, schema, field),
    };
  };
  for (const { name, schema } of others) add(name, 'path', (schema ?? {}) as SchemaObject, true);
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    add(name, 'body', schema as SchemaObject, body?.required?.includes(name) === true);
  }
  return { target: target?.name ?? null, fields, options };
}

/** The value that the service expects; it validates the rest and names the field. */
export function readValue(option: string, text: string, { name, kind, isNullable }: Field): unknown {
  if (text === '' && isNullable) return null;
  switch (kind) {
    case 'id':
      if (name !== NAMED_BY_TITLE && parseUuid(text) === undefined) throw new UsageError(`--${option} must be an id.`);
      return text;
    case 'integer':
      if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`--${option} must be an integer.`);
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new UsageError(`--${option} must be true or false.`);
      return text === 'true';
    case 'list':
      return text === '' ? [] : text.split(',').map((part) => part.trim());
    default:
      return text;
  }
}

/** `column_id` is `--column`, `is_done_column` is `--is-done-column`. */
function optionName(name: string): string {
  return name.replace(/_id(s?)$/, '$1').replaceAll('_', '-');
}

function readSchema(schema: SchemaObject): { kind: Kind; isNullable: boolean } {
  const forms = (schema.anyOf ?? [schema]) as SchemaObject[];
  const isNullable = forms.some(({ type }) => type === 'null');
  const { type, format } = forms.find((form) => form.type !== 'null') ?? {};
  if (type === 'integer' || type === 'boolean') return { kind: type, isNullable };
  return { kind: type === 'array' ? 'list' : format === 'uuid' ? 'id' : 'text', isNullable };
}

function meaningOf(name: string, { description, anyOf }: SchemaObject, { isNullable, kind }: Field): string {
  const described = description ?? (anyOf as SchemaObject[] | undefined)?.find((form) => form.description !== undefined)?.description;
  const said = described ?? `The ${name.replace(/_id(s?)$/, '$1').replaceAll('_', ' ')}`;
  const form = kind === 'list' ? ', separated by commas' : isNullable && kind === 'text' ? '; an empty text clears it' : '';
  return `${said.replace(/\.$/, '')}${form}.`;
}

function findOperation(operationId: string): OperationObject {
  const document = JSON.parse(readFileSync(packagePath('schema', 'openapi.json'), 'utf8')) as OpenAPIObject;
  const all = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item) as OperationObject[]);
  const found = all.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`the API document has no ${operationId}`);
  return found;
}
