/** Random values that a JSON Schema of the API document allows. */
import fc from 'fast-check';
import { COMING_YEARS, days, EMAIL_ADDRESSES, moments, PAST_YEARS, webAddresses, zoneNames } from './formatArbitraries.js';
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

/** Ids, tokens, passwords and numbers that exist, by the name of the field; a random one is tried too. */
export type KnownIds = Readonly<Record<string, string>>;

/** The service also trims and counts; texts are long enough to reach every bound but those of thousands. */
const MAX_TEXT = 300;
const SHORT_TEXT = 4;

/** `name` is that of a parameter. What the pieces cannot express, such as conditions between fields, is checked at the end. */
export function valuesOf(ajv: Ajv2020, schema: FuzzSchema, ids: KnownIds, name = ''): fc.Arbitrary<unknown> {
  const validate = ajv.compile(schema as object);
  return pieces(schema, ids, name).filter((value) => validate(value) as boolean);
}

/** The value with some of its parts replaced: a random document of many parts would hardly hold together. */
export function variationsOf(ajv: Ajv2020, schema: FuzzSchema, value: unknown): fc.Arbitrary<unknown> {
  const validate = ajv.compile(schema as object);
  return varied(schema, value, '').filter((made) => validate(made) as boolean);
}

function varied(schema: FuzzSchema, value: unknown, name: string): fc.Arbitrary<unknown> {
  const { items, properties } = schema;
  if (Array.isArray(value) && items !== undefined) return fc.tuple(...value.map((each) => varied(items, each, name)));
  if (typeof value === 'object' && value !== null && properties !== undefined) {
    const parts = Object.entries(value).map(([key, part]): [string, fc.Arbitrary<unknown>] => [key, varied(properties[key] ?? {}, part, key)]);
    return fc.record(Object.fromEntries(parts));
  }
  return fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: pieces(schema, {}, name) });
}

function pieces(schema: FuzzSchema, ids: KnownIds, name: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined && schema.properties === undefined) {
    return fc.oneof(...schema.anyOf.map((form) => pieces({ ...(schema.type === undefined ? {} : { type: schema.type }), ...form }, ids, name)));
  }
  const known = ids[name];
  switch (schema.type) {
    case 'string':
      return orKnown(known, texts(schema, name));
    case 'integer':
    case 'number':
      return orKnown(
        known === undefined ? undefined : Number(known),
        fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000_000, 2 ** 31) }),
      );
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

function orKnown<Value>(known: Value | undefined, random: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return known === undefined ? random : fc.oneof({ weight: 4, arbitrary: fc.constant(known) }, { weight: 1, arbitrary: random });
}

function texts({ format, pattern, minLength = 0, maxLength = MAX_TEXT }: FuzzSchema, name: string): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid({ version: 4 });
  // Names are in a list of others: no pattern says which.
  if (name === 'time_zone') return zoneNames();
  // A start is never after what a card may have as `due_at`, and what expires does so in the future.
  const years = name === 'start_at' ? PAST_YEARS : COMING_YEARS;
  if (format === 'date') return days(years);
  if (format === 'date-time') return moments(years);
  if (format === 'uri') return webAddresses();
  if (format === 'email') return EMAIL_ADDRESSES;
  if (pattern !== undefined && isNarrow(pattern)) return matching(pattern);
  const most = Math.min(maxLength, MAX_TEXT);
  const any = fc.string({ unit: 'binary', minLength, maxLength: most });
  if (pattern === undefined) return any;
  // Of a strict pattern hardly a long text is left, and hardly one of characters of all scripts.
  const short = (unit: 'binary' | 'grapheme'): fc.Arbitrary<string> => fc.string({ unit, minLength, maxLength: Math.min(most, SHORT_TEXT) });
  const allowed = new RegExp(pattern, 'u');
  return fc.oneof(any, short('binary'), short('grapheme')).filter((text) => allowed.test(text));
}

/** By pattern: to make one takes longer than a request. */
const matchings = new Map<string, fc.Arbitrary<string>>();

function matching(pattern: string): fc.Arbitrary<string> {
  const texts = matchings.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  matchings.set(pattern, texts);
  return texts;
}

/** Hardly a random text is a colour, an emoji, a language or the place of a page. */
function isNarrow(pattern: string): boolean {
  return pattern.startsWith('^') && !/^\^(?:\[\^|\[\\u0001|\(\?!)/.test(pattern);
}
