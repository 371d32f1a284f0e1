/** Board operations: each becomes one command to the board, which checks access before input. */
import type * as v from 'valibot';
import type { Answer } from '../../domain/answer.js';
import type { BoardCommand, BoardCommands, BoardOperation, RefusedInput } from '../../domain/commands/commands.js';
import { isRefusedInArchive } from '../../domain/commands/handler.js';
import { HANDLERS } from '../../domain/commands/table.js';
import type { Idempotency } from '../../domain/idempotency.js';
import { bodyOf, type BoardAnswer } from '../../domain/ports/boardsPort.js';
import { AppError, type ErrorData } from '../../domain/errors.js';
import type { PublicUser } from '../../domain/account/user.js';
import { STATUS_OF } from './statuses.js';
import { POSITION_HEADER, REPLAYED } from './requestKey.js';
import type { Validated } from './validated.js';
import type {
  OperationAnswer,
  BoardAccess,
  BodySpec,
  Call,
  Method,
  Operation,
  OperationText,
  QueryOf,
  QuerySpec,
  RawCall,
  Schema,
  Services,
  StatusTexts,
  Success,
} from './operation.js';

interface Definition<Op extends BoardOperation, Q extends QuerySpec, B extends Schema> extends OperationText {
  readonly op: Op;
  readonly method: Method;
  readonly path: string;
  readonly query?: Q;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body?: BodySpec<B>;
  readonly success: Success;
  readonly errors?: StatusTexts;
  readonly errorSchemas?: Readonly<Record<number, Schema>>;
  readonly errorHeaders?: NonNullable<Operation['errorHeaders']>;
  /** The command's input from a validated request. Omitted if the command needs none. */
  input?(call: Call<PublicUser, QueryOf<Q>, v.InferOutput<B>>, services: Services): BoardCommands[Op] | Promise<BoardCommands[Op]>;
  /** Converts the board's answer to the answer of the request. Omitted if they are the same. */
  answer?(outcome: BoardAnswer & { ok: true }): OperationAnswer;
}

/** The first path parameter is the command's target. */
export function boardOperation<
  Op extends BoardOperation,
  Q extends QuerySpec = Record<never, never>,
  B extends Schema = v.UndefinedSchema<undefined>,
>(definition: Definition<Op, Q, B>): Operation {
  const { op, input: toInput, answer: toAnswer = boardAnswer, ...described } = definition;
  const targetName = /\{(\w+)\}/.exec(definition.path)?.[1] ?? '';
  return {
    ...described,
    errors: withArchived(op, definition.errors ?? {}),
    name: op,
    access: roleFor(op),
    query: definition.query ?? {},
    body: definition.body ?? null,
    invoke(call, services) {
      const caller = requireCaller(call);
      const { idempotency } = keyIn(call);
      const ask = (input: BoardCommands[Op] | RefusedInput): Answer<BoardAnswer & { ok: true }> => {
        const command = { op, target: call.params[targetName] ?? '', input };
        return askBoard(services, caller, idempotency === undefined ? command : { ...command, idempotency });
      };
      const input = inputOf(call, services, targetName, toInput as InputOf<Op> | undefined);
      const answer = input instanceof Promise ? input.then(ask) : ask(input);
      return answer instanceof Promise ? answer.then(toAnswer) : toAnswer(answer);
    },
    toCommand(call, services) {
      const input = inputOf(call, services, targetName, toInput as InputOf<Op> | undefined);
      if (input instanceof Promise) throw new Error(`the input of ${op} is not there at once`);
      return { op, target: call.params[targetName] ?? '', input };
    },
  };
}

const IN_ARCHIVE = 'It is in the archive, or part of something there';

/** Documents the refusal of what is in the archive. */
function withArchived(op: BoardOperation, errors: StatusTexts): StatusTexts {
  if (!isRefusedInArchive(HANDLERS[op])) return errors;
  const { [STATUS_OF.conflict]: conflict } = errors;
  return { ...errors, [STATUS_OF.conflict]: conflict === undefined ? IN_ARCHIVE : `${conflict}. ${IN_ARCHIVE}` };
}

/** The part of a command that carries the key. An invalid key is refused with the input, after access. */
export function keyIn({ idempotency }: RawCall): { readonly idempotency?: Idempotency } {
  if (!idempotency.ok || idempotency.value === null) return {};
  const { key } = idempotency.value;
  return { idempotency: { key, fingerprint: idempotency.value.fingerprint() } };
}

/** The answer to a change of a board. */
export function boardAnswer(outcome: BoardAnswer & { ok: true }): OperationAnswer {
  return toAnswer(bodyOf(outcome), outcome);
}

export function toAnswer(
  json: string | Uint8Array | null,
  { position, replayed }: Pick<BoardAnswer & { ok: true }, 'position' | 'replayed'>,
): OperationAnswer {
  const headers: Array<readonly [string, string]> = [];
  if (position !== undefined) headers.push([POSITION_HEADER, position]);
  if (replayed === true) headers.push(REPLAYED);
  // Of a create that was repeated late, the position of its change is not known: it shows what was created then.
  return replayed === true && position === undefined ? { json, headers, status: 200 } : { json, headers };
}

/** The role that the board demands for an operation, which the documents name. The board itself checks it. */
export function roleFor(op: BoardOperation): BoardAccess {
  const { access } = HANDLERS[op];
  if (access === 'anyone' || access === 'system') throw new Error(`no member of a board asks for ${op}`);
  return access;
}

/** Asks in the name of a user; a refusal is thrown. */
export function askBoard<Op extends BoardOperation>(
  services: Services,
  caller: PublicUser,
  command: Omit<BoardCommand<Op>, 'caller'>,
): Answer<BoardAnswer & { ok: true }> {
  const { op, target, input, idempotency } = command;
  // Not a copy with one field more: that took an eighth of a cached read.
  const asked: BoardCommand = { op, target, input, caller: { user_id: caller.id } };
  const answer = services.boards.ask(idempotency === undefined ? asked : { ...asked, idempotency });
  return !(answer instanceof Promise) && answer.ok ? answer : requireOk(answer, services);
}

async function requireOk(answer: Answer<BoardAnswer>, services: Services): Promise<BoardAnswer & { ok: true }> {
  const outcome = await answer;
  if (!outcome.ok) throw await refusal(outcome, services);
  return outcome;
}

type InputOf<Op extends BoardOperation> = (
  call: Call<PublicUser, unknown, unknown>,
  services: Services,
) => BoardCommands[Op] | Promise<BoardCommands[Op]>;

function inputOf<Op extends BoardOperation>(
  call: RawCall,
  services: Services,
  targetName: string,
  toInput: InputOf<Op> | undefined,
): BoardCommands[Op] | RefusedInput | Promise<BoardCommands[Op]> {
  const validated = firstRefusal(call.idempotency, call.query, call.body);
  if (validated !== null) {
    const { [targetName]: _target, ...path } = call.params;
    return { refused: validated, path };
  }
  if (toInput === undefined) return {} as BoardCommands[Op];
  const idempotency = call.idempotency.ok ? call.idempotency.value : null;
  const typed = { ...call, caller: requireCaller(call), query: valueOf(call.query), body: valueOf(call.body), idempotency };
  return toInput(typed, services);
}

function firstRefusal(...validated: readonly Validated<unknown>[]): ErrorData | null {
  for (const each of validated) if (!each.ok) return each.error;
  return null;
}

function valueOf(validated: Validated<unknown>): unknown {
  return validated.ok ? validated.value : undefined;
}

export function requireCaller(call: RawCall): PublicUser {
  if (call.caller === null) throw new AppError('unauthenticated', 'Not authenticated');
  return call.caller;
}

/** A board knows only its members. Whether a named user exists at all decides between 403 and 404. */
async function refusal({ error, unknownUsers, step }: BoardAnswer & { ok: false }, { directory }: Services): Promise<AppError> {
  const place = step === undefined ? '' : `${step}: `;
  if (unknownUsers !== undefined && unknownUsers.length > 0) {
    const missing = await directory.ask('user.missing', { ids: unknownUsers });
    if (missing.length > 0) return new AppError('not_found', `${place}User not found`);
  }
  return AppError.from({ ...error, detail: `${place}${error.detail}` });
}
