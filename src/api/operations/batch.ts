/** Several changes of one board in one request: all of them are committed together, or none. */
import * as v from 'valibot';
import { MAX_BATCH_CHARACTERS, MAX_BATCH_OPERATIONS, MAX_BATCH_RECORDS } from '../../domain/commands/batch.js';
import { BATCHABLE, type BatchOperation, type BatchStep } from '../../domain/commands/commands.js';
import type { ErrorData } from '../../domain/errors.js';
import { boardKeyOf, idInBatch, parseUuid, type Uuid } from '../../domain/ids.js';
import { boardOperation } from '../operation/boardOperation.js';
import type { BodySpec, Call, Operation, RawCall, Services } from '../operation/operation.js';
import { validateBody } from '../operation/validate.js';
import type { Validated } from '../operation/validated.js';
import { list } from '../schemas/fields.js';
import { AutomationRule, Card, Checklist, ChecklistItem, Column, Comment, Label, TextConflict } from '../schemas/resources.js';
import { archiveOperations } from './archive.js';
import { automationOperations } from './automations.js';
import { cardOperations } from './cards.js';
import { checklistOperations } from './checklists.js';
import { columnOperations } from './columns.js';
import { commentOperations } from './texts/comments.js';
import { labelOperations } from './labels.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Longer than any path of the table. */
const MAX_PATH_CHARACTERS = 500;
/** Paths are served at the root and below this prefix. */
const PREFIX = '/api/';

const BatchRequest = v.object({
  operations: v.pipe(
    list(
      v.object({
        method: v.picklist(METHODS),
        path: v.pipe(v.string(), v.maxLength(MAX_PATH_CHARACTERS, `must be at most ${MAX_PATH_CHARACTERS} characters`)),
        body: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
      }),
      MAX_BATCH_OPERATIONS,
    ),
    v.minLength(1, 'must have at least one entry'),
  ),
});

type Requested = v.InferOutput<typeof BatchRequest>['operations'][number];

/** The operations that a batch can hold. */
const BY_NAME: ReadonlyMap<string, Operation> = new Map(
  [
    ...columnOperations,
    ...cardOperations,
    ...labelOperations,
    ...checklistOperations,
    ...automationOperations,
    ...commentOperations,
    ...archiveOperations,
  ]
    .filter(({ name }) => BATCHABLE.some((each) => each === name))
    .map((operation) => [operation.name, operation]),
);

/** An operation of a batch whose path and body are validated. Ids of earlier answers are still marks. */
interface ParsedOperation {
  readonly name: BatchOperation;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Validated<unknown>;
}

/** `refused`: there is no such operation, or it names an answer that has no id. */
type Parsed = ParsedOperation | { readonly refused: ErrorData };

/** Stands for the id in answer `n` until it is known: never the id of anything, because ids are version 4 UUIDs. */
const markOf = (n: number): Uuid => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
const MARK = /^00000000-0000-0000-0000-(\d{12})$/;
const REFERENCE = /^\$(\d{1,2})\.id$/;

const batch: Operation = boardOperation({
  op: 'board.batch',
  method: 'POST',
  path: '/boards/{board_id}/batch',
  tag: 'Boards',
  summary: 'Change a board in several steps at once',
  description:
    `Carries out 1 to ${MAX_BATCH_OPERATIONS} changes of the board in one commit: all of them, or none. An operation is a change of columns, cards, ` +
    'labels, checklists, items, assignees, comments or automation rules, with `method`, `path` and `body` as for a request of its own; each needs the same ' +
    'rights and emits its own events, in order. `$n.id` stands for the `id` in answer `n` (from 0) of an earlier operation, as a whole segment of a ' +
    `path and in fields that are ids. The operations can concern at most ${MAX_BATCH_RECORDS} records, and answers and events have at most ` +
    `${MAX_BATCH_CHARACTERS} characters. Of the operations that are refused the first decides the status, and \`detail\` begins with its index.`,
  body: { kind: 'json', schema: BatchRequest, refine: ({ operations }) => parseAll(operations) } as BodySpec<typeof BatchRequest>,
  success: {
    status: 200,
    description: 'The answers, in the order of the operations',
    schema: v.object({
      answers: v.array(
        v.object({
          status: v.pipe(v.number(), v.integer(), v.description('As for a request of its own')),
          body: v.nullable(v.union([Column, Card, Label, Checklist, ChecklistItem, AutomationRule, Comment])),
        }),
      ),
    }),
  },
  errors: {
    403: 'The caller is not a member of the board, or may not carry out one of the operations',
    404: 'No such board, or an operation names something that is not there',
    409: 'An operation is in conflict with the board or exceeds one of its limits, or the batch is too large',
  },
  errorSchemas: { 409: TextConflict },
  // `refine` has replaced the list of the schema.
  input: (call, services) => toSteps(call as unknown as Call<unknown, unknown, readonly Parsed[]>, services),
});

function parseAll(requested: readonly Requested[]): readonly Parsed[] {
  const parsed: Parsed[] = [];
  for (const each of requested) parsed.push(parse(each, parsed));
  return parsed;
}

function parse({ method, path, body }: Requested, earlier: readonly Parsed[]): Parsed {
  const found = match(method, path);
  if (found === null) return refuse('not_found', `a batch cannot hold ${method} ${path}`);
  const params: Record<string, string> = {};
  for (const [name, segment] of found.params) {
    const id = withMarks(segment, earlier);
    if (id === null) return refuse('invalid', `path: ${segment} is no earlier answer with an id`);
    const uuid = parseUuid(id);
    if (uuid === undefined) return refuse('invalid', `path: ${name} must be a UUID`);
    params[name] = uuid;
  }
  const { name, body: spec } = found.operation;
  if (spec === null) return { name: name as BatchOperation, params, body: { ok: true, value: undefined } };
  const unknown: string[] = [];
  const marked = markIds(body ?? {}, (text) => {
    const id = withMarks(text, earlier);
    if (id === null) unknown.push(text);
    return id ?? text;
  });
  if (unknown[0] !== undefined) return refuse('invalid', `body: ${unknown[0]} is no earlier answer with an id`);
  return { name: name as BatchOperation, params, body: validateBody(spec as BodySpec, marked) };
}

function refuse(code: ErrorData['code'], detail: string): Parsed {
  return { refused: { code, detail } };
}

function match(method: string, path: string): { operation: Operation; params: Array<readonly [string, string]> } | null {
  const segments = (path.startsWith(PREFIX) ? path.slice(PREFIX.length - 1) : path).split('/');
  for (const operation of BY_NAME.values()) {
    const template = operation.path.split('/');
    if (operation.method !== method || template.length !== segments.length) continue;
    if (!template.every((part, index) => part.startsWith('{') || part === segments[index])) continue;
    const params = template.flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), segments[index] ?? ''] as const] : []));
    return { operation, params };
  }
  return null;
}

/** A mark for a reference; null if it refers to no earlier answer with an id. Other texts stay, unless they look like marks. */
function withMarks(text: string, earlier: readonly Parsed[]): string | null {
  if (MARK.test(text)) return markOf(MAX_BATCH_OPERATIONS);
  const reference = REFERENCE.exec(text);
  if (reference === null) return text;
  const n = Number(reference[1]);
  const answer = earlier[n];
  // A refused operation ends the batch before this one is carried out.
  if (answer === undefined || (!('refused' in answer) && BY_NAME.get(answer.name)?.success.status === 204)) return null;
  return markOf(n);
}

/** Replaces the texts of fields that are ids, by their names; all other texts stay as they are. */
function markIds(body: Readonly<Record<string, unknown>>, replace: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (name.endsWith('_id') && typeof value === 'string') return [name, replace(value)];
      if (name.endsWith('_ids') && Array.isArray(value))
        return [name, value.map((each: unknown) => (typeof each === 'string' ? replace(each) : each))];
      return [name, value];
    }),
  );
}

function toSteps(call: Call<unknown, unknown, readonly Parsed[]>, services: Services): { operations: readonly BatchStep[] } {
  const key = boardKeyOf(call.params['board_id'] ?? '');
  const idempotencyKey = call.idempotency?.key;
  const answerIds: Uuid[] = [];
  const resolve = (text: string): string => {
    const mark = MARK.exec(text);
    return mark === null ? text : (answerIds[Number(mark[1])] ?? text);
  };
  const operations = call.body.map((parsed, index): BatchStep => {
    if ('refused' in parsed) return refusedStep(call.params['board_id'] ?? '', parsed.refused);
    const operation = BY_NAME.get(parsed.name);
    if (operation?.toCommand === undefined) throw new Error(`a batch cannot hold ${parsed.name}`);
    const params = Object.fromEntries(Object.entries(parsed.params).map(([name, id]) => [name, resolve(id)]));
    const body: Validated<unknown> =
      parsed.body.ok && parsed.body.value !== undefined
        ? { ok: true, value: markIds(parsed.body.value as Record<string, unknown>, resolve) }
        : parsed.body;
    const single = { ...call, params, query: { ok: true, value: {} }, body, idempotency: { ok: true, value: null } } as unknown as RawCall;
    const command = operation.toCommand(single, services);
    const { status } = operation.success;
    const newId = status === 201 ? (idempotencyKey === undefined ? services.ids.onBoard(key) : idInBatch(key, idempotencyKey, index)) : null;
    answerIds[index] = newId ?? command.target;
    return { ...command, status, id: newId } as BatchStep;
  });
  return { operations };
}

/** The board reports it when the operations before it were accepted. */
function refusedStep(board: Uuid, refused: ErrorData): BatchStep {
  return { op: 'column.create', target: board, input: { refused, path: {} }, status: 0, id: null };
}

export const batchOperations: readonly Operation[] = [batch];
