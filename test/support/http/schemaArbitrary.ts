/** Random values that a JSON Schema of the API document allows. */
import fc from 'fast-check';
import type { Ajv2020 } from 'ajv/dist/2020.js';

export interface FuzzSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: FuzzSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, FuzzSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly FuzzSchema[];
}

/** Ids that exist, by the name of the field; a random one is tried too. */
export type KnownIds = Readonly<Record<string, string>>;

/** The service also trims and counts; texts are long enough to reach every bound but those of thousands. */
const MAX_TEXT = 300;

/** What the pieces cannot express, such as conditions between fields, is checked at the end. */
export function valuesOf(ajv: Ajv2020, schema: FuzzSchema, ids: KnownIds): fc.Arbitrary<unknown> {
  const validate = ajv.compile(schema as object);
  return pieces(schema, ids, '').filter((value) => validate(value) as boolean);
}

function pieces(schema: FuzzSchema, ids: KnownIds, name: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined && schema.properties === undefined) {
    return fc.oneof(...schema.anyOf.map((form) => pieces({ ...(schema.type === undefined ? {} : { type: schema.type }), ...form }, ids, name)));
  }
  switch (schema.type) {
    case 'string':
      return texts(schema, ids, name);
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000_000, 2 ** 31) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(pieces(schema.items ?? {}, ids, name.replace(/s$/, '')), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object': {
      const fields = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, field]) => [key, pieces(field, ids, key)]));
      return fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts({ format, pattern, minLength = 0, maxLength = MAX_TEXT }: FuzzSchema, ids: KnownIds, name: string): fc.Arbitrary<string> {
  const known = ids[name];
  if (format === 'uuid')
    return known === undefined
      ? fc.uuid({ version: 4 })
      : fc.oneof({ weight: 4, arbitrary: fc.constant(known) }, { weight: 1, arbitrary: fc.uuid({ version: 4 }) });
  if (format === 'date-time')
    return fc.date({ min: new Date('2030-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'email') return fc.uuid().map((id) => `${id}@example.org`);
  if (pattern?.startsWith('^#') === true) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, MAX_TEXT) });
}
