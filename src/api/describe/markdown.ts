/** The documents as Markdown, for people who read plain files and for language models; `llms.txt` says where they are. */
import type { OpenAPIObject, OperationObject, ParameterObject, RequestBodyObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import type { AsyncApiDocument } from './asyncapi.js';

type Json = Readonly<Record<string, unknown>>;

export function llmsText(version: string): string {
  return `# Switchboard

> Shared task boards in real time (version ${version}): an HTTP JSON API and WebSockets. Boards hold ordered columns, columns hold ordered cards with
> labels, assignees, checklists and files; every change is an event with a number, so a client that was away misses nothing.

Addresses are relative to the service. Send an API key (\`swb_…\`) or an access token as \`Authorization: Bearer …\`. Repeat a change safely with an
\`Idempotency-Key\`. Errors are JSON with one string, \`detail\`, which names the field and what is wrong with it.

## Documents

- [HTTP API](docs/api.md): every operation with its parameters, body, answers and an example
- [Events](docs/events.md): every message of the sockets and the stream of events, with an example
- [OpenAPI 3.1](openapi.json): the same for programs
- [AsyncAPI 3](asyncapi.json): the same for programs

## Client

- [Module](client.js): the typed client for browsers and Node, without dependencies: \`import { createClient } from '…/client.js'\`
- [Types](client.d.ts): every operation, resource and event as TypeScript
`;
}

export function apiMarkdown(document: OpenAPIObject): string {
  const { info, tags = [], paths = {}, components = {} } = document;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    (Object.entries(item) as Array<[string, OperationObject]>).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = tags.map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    return `## ${name}\n\n${description}\n\n${own.map(({ method, path, operation }) => operationSection(method, path, operation)).join('\n')}`;
  });
  const schemas = Object.entries(components.schemas ?? {}).map(([name, schema]) => schemaSection(name, schema as SchemaObject));
  return `# ${info.title} ${info.version}: HTTP API\n\n${info.description ?? ''}\n\n${sections.join('\n')}\n## Resources\n\n${schemas.join('\n')}`;
}

function operationSection(method: string, path: string, operation: OperationObject): string {
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const body = (operation.requestBody as RequestBodyObject | undefined)?.content ?? {};
  const [[type, media] = []] = Object.entries(body);
  const rows = parameters.map(({ name, in: place, schema, description = '' }) => [
    `\`${name}\``,
    place,
    typeText(schema as SchemaObject),
    description,
  ]);
  const answers = (Object.entries(operation.responses ?? {}) as Array<[string, ResponseObject]>).map(([status, { description, content = {} }]) => {
    const schema = content['application/json']?.schema as SchemaObject | undefined;
    return `- ${status}: ${oneLine(description)}${schema === undefined ? '' : ` (${typeText(schema)})`}`;
  });
  const parts = [
    `### ${method} ${path}`,
    `${operation.summary ?? ''}. ${operation.description ?? ''}`.replace(/\.\. /, '. ').trim(),
    rows.length === 0 ? '' : tableOf(['parameter', 'in', 'type', ''], rows),
    type === undefined ? '' : `Body (\`${type}\`): ${typeText(media?.schema as SchemaObject)}`,
    media?.schema === undefined ? '' : fieldTable(media.schema as SchemaObject),
    media?.example === undefined ? '' : jsonBlock(media.example),
    answers.join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function schemaSection(name: string, schema: SchemaObject): string {
  const [example] = (schema.examples ?? []) as unknown[];
  return `### ${name}\n\n${fieldTable(schema)}\n${example === undefined ? '' : `\n${jsonBlock(example)}\n`}`;
}

export function eventsMarkdown(document: AsyncApiDocument): string {
  const { info, channels, operations, components } = document;
  const sections = Object.entries(channels).map(([channel, { address, description }]) => {
    const own = Object.values(operations).filter((operation) => nameIn(operation.channel.$ref) === channel);
    const groups = own.map(({ action, summary, messages }) => {
      const all = messages.map(({ $ref }) => {
        const name = decodeURIComponent(nameIn($ref));
        const { name: type = name, summary: meaning = '', examples = [] } = components.messages[name] ?? {};
        const schema = (components.schemas[name] ?? {}) as SchemaObject;
        const blocks = examples.map(({ payload }) => jsonBlock(payload));
        return `#### ${type}\n\n${oneLine(meaning)}\n\n${[fieldTable(schema), ...blocks].join('\n\n')}\n`;
      });
      return `### ${action === 'send' ? 'From the server' : 'From the client'}\n\n${summary}.\n\n${all.join('\n')}`;
    });
    return `## \`${address}\`\n\n${description}\n\n${groups.join('\n')}`;
  });
  const text = String(info['description'] ?? '').replace(/^# /gm, '## ');
  return `# ${String(info['title'])} ${String(info['version'])}: events\n\n${text}\n\n${sections.join('\n')}`;
}

function fieldTable(schema: SchemaObject): string {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, SchemaObject>>);
  if (properties.length === 0) return '';
  const rows = properties.map(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    return [
      `\`${name}\``,
      typeText(field),
      [isRequired ? '' : 'optional', oneLine(field.description ?? ''), boundsOf(field)].filter(Boolean).join('; '),
    ];
  });
  return tableOf(['field', 'type', ''], rows);
}

function typeText(schema: SchemaObject | undefined): string {
  const { $ref, const: constant } = (schema ?? {}) as Json;
  if (typeof $ref === 'string') return nameIn($ref);
  if (schema === undefined) return '';
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const forms = (schema.anyOf ?? schema.oneOf) as SchemaObject[] | undefined;
  if (forms !== undefined && schema.type === undefined) return forms.map((form) => typeText(form)).join(' or ');
  if (schema.type === 'array') return `list of ${typeText(schema.items as SchemaObject)}`;
  return [schema.format ?? schema.type ?? 'anything'].flat().join(' or ');
}

function boundsOf({ minLength, maxLength, minimum, maximum, maxItems }: SchemaObject): string {
  const texts = [
    maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters`,
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined ? '' : `to ${maximum}`,
    maxItems === undefined ? '' : `at most ${maxItems} entries`,
  ];
  return texts.filter(Boolean).join(' ');
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
