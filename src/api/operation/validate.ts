/** Parses bodies, validates input against a schema, and names the invalid field in one sentence. */
import * as v from 'valibot';
import { AppError } from '../../domain/errors.js';
import { decodeText, parseJson } from './strictJson.js';
import type { Validated } from './validated.js';
import type { BodySpec, QuerySpec, Schema } from './operation.js';

/** A longer list of complaints is of no use, and an answer must not grow with hostile input. */
const MAX_COMPLAINTS = 5;

export interface ValidateOptions {
  /** Stops at the first problem: for documents, which may have a hundred thousand. */
  readonly firstOnly?: boolean;
}

export function validate(schema: Schema, value: unknown, whole: string, { firstOnly = false }: ValidateOptions = {}): Validated<unknown> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true, abortEarly: firstOnly });
  if (result.success) return { ok: true, value: result.output };
  const complaints = result.issues.slice(0, MAX_COMPLAINTS).map((issue) => complain(issue, whole));
  return { ok: false, error: { code: 'invalid', detail: [...new Set(complaints)].join('; ') } };
}

export function parseBody({ kind }: BodySpec, bytes: Uint8Array): unknown {
  return kind === 'json' ? parseJson(bytes) : Object.fromEntries(new URLSearchParams(decodeText(bytes)));
}

/** A refusal is a value, not an exception: it may have to wait for other checks. */
export function refusedBody(error: unknown): Validated<never> {
  if (error instanceof AppError) return refused(error);
  throw error;
}

export function validateBody(spec: BodySpec, value: unknown): Validated<unknown> {
  // Every body is an object, and Valibot would accept a list as an object without fields.
  if (Array.isArray(value)) return { ok: false, error: { code: 'invalid', detail: 'body: must be an object' } };
  const validated = validate(spec.schema, value, 'body');
  return validated.ok && spec.refine !== undefined ? { ok: true, value: spec.refine(validated.value) } : validated;
}

export function validateQuery(spec: QuerySpec, text: string): Validated<unknown> {
  if (isEmpty(spec)) return NO_QUERY;
  const query = new URLSearchParams(text);
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(spec)) {
    const names = [name, ...(parameter.aliases ?? [])];
    const given = names.map((each) => query.get(each)).find((text) => text !== null);
    const validated = validate(parameter.schema, given, name);
    if (!validated.ok) return validated;
    values[name] = validated.value;
  }
  return { ok: true, value: values };
}

export function refused(error: AppError): Validated<never> {
  return { ok: false, error: error.toData() };
}

function complain(issue: v.BaseIssue<unknown>, whole: string): string {
  const path = issue.path?.map((step) => String(step.key)).join('.') ?? whole;
  return `${path}: ${wording(issue)}`;
}

function wording(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'is required';
  if (issue.kind !== 'schema') return issue.message.startsWith('Invalid ') ? boundOf(issue) : issue.message;
  switch (issue.type) {
    case 'string':
      return 'must be a string';
    case 'boolean':
      return 'must be true or false';
    case 'number':
      return 'must be a number';
    case 'array':
      return 'must be a list';
    case 'object':
      return 'must be an object';
    case 'picklist':
      return `must be one of ${(issue.expected ?? '')
        .replaceAll(' | ', ', ')
        .replaceAll('"', '')
        .replace(/^\(|\)$/g, '')}`;
    default:
      return issue.message;
  }
}

/** In the words of the other complaints, for a check that brings none of its own. */
function boundOf({ type, requirement, input, message }: v.BaseIssue<unknown>): string {
  const amount = `${String(requirement)} ${Array.isArray(input) ? 'entries' : 'characters'}`;
  switch (type) {
    case 'min_length':
      return requirement === 1 ? 'must not be empty' : `must have at least ${amount}`;
    case 'max_length':
      return `must have at most ${amount}`;
    case 'min_value':
      return `must be at least ${String(requirement)}`;
    case 'max_value':
      return `must be at most ${String(requirement)}`;
    case 'integer':
      return 'must be a whole number';
    default:
      return message;
  }
}

/** Nearly every operation ignores the query. */
const NO_QUERY: Validated<unknown> = { ok: true, value: {} };

function isEmpty(spec: QuerySpec): boolean {
  for (const _name in spec) return false;
  return true;
}
