/**
 * Generates the part of the client that follows from the API document: the types of the resources, and every operation
 * as a typed method with its table row. Written to the sources, so that editors and readers see it.
 */
import { isReferenceObject, type MediaTypeObject, type OpenAPIObject, type OperationObject } from 'openapi3-ts/oas31';
import type { ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { CLOSE } from '../../api/closeCodes.js';
import { MAX_SHOWN_BYTES, SIGNAL_RATE, STATE_RATE } from '../../api/socketLimits.js';
import { DEFAULT_COLOR, RANK_GAP } from '../../domain/content/defaults.js';
import { LINK_TYPE } from '../../domain/content/links.js';
import { ANSWER_LIFETIME_MS } from '../../domain/idempotency.js';
import { FIRST_EPOCH, POSITION_PATTERN } from '../../domain/position.js';
import { TITLE_CHARACTERS } from '../../domain/textLimits.js';

/** File names below src/client and their content. */
export type ClientFiles = Readonly<Record<'resources.ts' | 'operations.ts' | 'facts.ts', string>>;

const NOTE = 'Generated from the table of operations by `npm run openapi`; do not edit.';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const INPUTS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'file',
};
/** What the client must know as the service does, and no document says in a form that a program can use. */
const FACTS: Readonly<Record<string, string | number>> = {
  ANSWER_LIFETIME_MS,
  CLOSE_BOARD_DELETED: CLOSE.boardDeleted.code,
  CLOSE_REFUSED: CLOSE.refused.code,
  DEFAULT_COLOR,
  FIRST_EPOCH,
  LINK_TYPE,
  MAX_SHOWN_BYTES,
  POSITION_PATTERN,
  RANK_GAP,
  SIGNALS_PER_SECOND: SIGNAL_RATE.perSecond,
  STATES_PER_SECOND: STATE_RATE.perSecond,
  TITLE_CHARACTERS,
};
/** Columns. */
const WIDEST_LINE = 120;
/** The column at which the type of a parameter on its own line begins. */
const PARAMETER_COLUMN = '      query?: '.length;

type Schema = SchemaObject | ReferenceObject;

interface Operation {
  /** Null for an operation without a resource, such as health. */
  readonly group: string | null;
  readonly name: string;
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly input: string;
  readonly answer: 'json' | 'bytes' | 'nothing';
  readonly isPublic: boolean;
  /** The method's parameters, as TypeScript. */
  readonly parameters: readonly string[];
  /** The method's result, as TypeScript. */
  readonly result: string;
}

export function clientFiles(document: OpenAPIObject): ClientFiles {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const described = item[method];
      return described === undefined || isForBrowsers(described) ? [] : [readOperation(method.toUpperCase(), path, described)];
    }),
  );
  return {
    'resources.ts': `/** The resources as they are sent. ${NOTE} */\n\n${schemas.map(declare).join('\n')}`,
    'operations.ts': operationsFile(
      operations,
      schemas.map(([name]) => name),
    ),
    'facts.ts': factsFile(),
  };
}

function factsFile(): string {
  const lines = Object.entries(FACTS).map(([name, value]) => `export const ${name} = ${typeof value === 'string' ? `'${value}'` : value};\n`);
  return `/** Facts of the service. Generated from its constants by \`npm run openapi\`; do not edit. */\n\n${lines.join('')}`;
}

function declare([name, schema]: [string, Schema]): string {
  return `export interface ${name} ${typeOf(schema, '', 0, 'broken')}\n`;
}

function operationsFile(operations: readonly Operation[], schemas: readonly string[]): string {
  const groups = new Set(operations.flatMap(({ group }) => group ?? []));
  const methodsOf = (wanted: string | null, indent: string): string => {
    const own = operations.filter(({ group }) => group === wanted);
    return own.map((operation) => declareMethod(operation, indent)).join('');
  };
  const grouped = [...groups].map((group) => `  readonly ${group}: {\n${methodsOf(group, '    ')}  };\n`);
  const types = grouped.join('') + methodsOf(null, '  ');
  const used = schemas.filter((name) => new RegExp(`\\b${name}\\b`).test(types)).sort();
  return `/** Every operation of the service. ${NOTE} */
import type { CallOptions, Link, OperationRow, Upload } from './calls/call.js';
import type {
${used.map((name) => `  ${name},\n`).join('')}} from './resources.js';

/**
 * The parameters are the ids of the path, then the body or the query, then options; each only if the operation has it. A
 * refusal is thrown as an \`ApiError\`.
 */
export interface Operations {
${types}}

export const OPERATIONS = {
${operations.map(row).join('')}} as const satisfies Readonly<Record<string, OperationRow>>;
`;
}

function row({ id, method, path, input, answer, isPublic }: Operation): string {
  const fields = [`path: '${path}'`];
  if (method !== 'GET') fields.unshift(`method: '${method}'`);
  if (input !== 'none') fields.push(`input: '${input}'`);
  if (answer !== 'json') fields.push(`answer: '${answer}'`);
  if (isPublic) fields.push('isPublic: true');
  const line = `  '${id}': { ${fields.join(', ')} },\n`;
  return line.length <= WIDEST_LINE ? line : `  '${id}': {\n${fields.map((field) => `    ${field},\n`).join('')}  },\n`;
}

function declareMethod({ name, summary, parameters, result }: Operation, indent: string): string {
  const ending = `): Promise<${result}>;`;
  const all = [...parameters, 'options?: CallOptions'];
  const line = `${indent}${name}(${all.join(', ')}${ending}`;
  const isShort = !line.includes('\n') && line.length <= WIDEST_LINE;
  const broken = all.map((each) => `${indent}  ${each.replaceAll('\n', `\n${indent}  `)},\n`).join('');
  return `${indent}/** ${summary} */\n${isShort ? line : `${indent}${name}(\n${broken}${indent}${ending}`}\n`;
}

function readOperation(method: string, path: string, described: OperationObject): Operation {
  const { operationId: id = '', summary = '' } = described;
  const [first = '', second] = id.split('.');
  const [group, name] = second === undefined ? [null, first] : [first, second];
  const { input, parameter } = readInput(id, described);
  const inPath = parametersIn('path', described);
  const parameters = [...(inPath.length === 0 ? [] : [`path: ${inputType(objectOf(inPath))}`]), ...(parameter === null ? [] : [parameter])];
  const sent = { method, path, input, isPublic: described.security?.length === 0, ...readAnswer(described) };
  return { group, name, id, summary: /[.?]$/.test(summary) ? summary : `${summary}.`, parameters, ...sent };
}

function readInput(id: string, described: OperationObject): { input: string; parameter: string | null } {
  const query = parametersIn('query', described);
  const body = described.requestBody;
  if (body === undefined) {
    if (query.length === 0) return { input: 'none', parameter: null };
    return { input: 'query', parameter: `query?: ${inputType(objectOf(query))}` };
  }
  if (query.length > 0 || isReferenceObject(body)) throw new Error(`${id}: a call takes a body or a query, not both`);
  const [[contentType, { schema }] = ['', {}]] = Object.entries<MediaTypeObject>(body.content);
  const input = INPUTS[contentType];
  if (input === undefined) throw new Error(`${id}: the client cannot send ${contentType}`);
  return { input, parameter: input === 'file' ? 'file: Upload | Link' : `body: ${inputType(schema ?? {})}` };
}

/** A page that browsers are sent through: a program cannot follow a redirect to a login page. */
function isForBrowsers({ responses = {} }: OperationObject): boolean {
  return '302' in responses || responses['200']?.content?.['text/html'] !== undefined;
}

function readAnswer({ responses = {} }: OperationObject): Pick<Operation, 'answer' | 'result'> {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const content: Readonly<Record<string, MediaTypeObject>> = success?.content ?? {};
  const json = content['application/json'];
  if (json !== undefined) return { answer: 'json', result: typeOf(json.schema ?? {}, '', 0) };
  const isEmpty = Object.keys(content).length === 0;
  return isEmpty ? { answer: 'nothing', result: 'void' } : { answer: 'bytes', result: 'Blob' };
}

function parametersIn(place: 'path' | 'query', { parameters = [] }: OperationObject): ParameterObject[] {
  return parameters.filter((one): one is ParameterObject => !isReferenceObject(one) && one.in === place);
}

function objectOf(parameters: readonly ParameterObject[]): SchemaObject {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema = {} }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Inputs are not kept after the call, so `readonly` would only distract. */
function inputType(schema: Schema): string {
  return typeOf(schema, '', PARAMETER_COLUMN).replace(/\breadonly (?=\w+\??: )/g, '');
}

/** `column` is where the type begins in its line; objects that do not fit are written one field a line. */
function typeOf(schema: Schema, indent: string, column: number, style: 'compact' | 'broken' = 'compact'): string {
  if (isReferenceObject(schema)) return schema.$ref.replace(/^.*\//, '');
  if (schema.enum !== undefined) return unionOf(schema.enum.map(literal), indent, column);
  if ('const' in schema) return literal(schema.const);
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}, indent, column));
    case 'object':
      return fieldsOf(schema, indent, column, style);
    default:
      return schema.anyOf?.map((each) => typeOf(each, indent, column)).join(' | ') ?? 'unknown';
  }
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function unionOf(members: readonly string[], indent: string, column: number): string {
  const line = members.join(' | ');
  return column + line.length < WIDEST_LINE ? line : members.map((member) => `\n${indent}  | ${member}`).join('');
}

function arrayOf(element: string): string {
  return /^\w+$/.test(element) ? `readonly ${element}[]` : `ReadonlyArray<${element}>`;
}

function fieldsOf({ properties, required = [], additionalProperties }: SchemaObject, indent: string, column: number, style: string): string {
  if (properties === undefined) {
    const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
    return `Readonly<Record<string, ${isTyped ? typeOf(additionalProperties, indent, column) : 'unknown'}>>`;
  }
  const fields = Object.entries(properties).map(([name, schema]) => {
    const opening = `readonly ${name}${required.includes(name) ? '' : '?'}: `;
    const type = typeOf(schema, `${indent}  `, indent.length + 2 + opening.length);
    const description = isReferenceObject(schema) ? undefined : schema.description;
    return { description, text: `${type.startsWith('\n') ? opening.trimEnd() : opening}${type};` };
  });
  const line = `{ ${fields
    .map(({ text }) => text)
    .join(' ')
    .replace(/;$/, '')} }`;
  const fits = column + line.length <= WIDEST_LINE && !line.includes('\n');
  if (style === 'compact' && fits) return line;
  const lines = fields.map(({ description, text }) => {
    const comment = description === undefined ? '' : `${indent}  /** ${description} */\n`;
    return `${comment}${indent}  ${text}\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}
