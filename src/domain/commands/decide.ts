/**
 * The only way a command reaches a board: access is checked before input, the handler works on a draft, and the result
 * is plain data. Deciding changes nothing; `BoardState.apply` does.
 */
import { BoardState } from '../board/board.js';
import type { BoardCommand } from './commands.js';
import type { Effect } from './steps/effect.js';
import { Draft, type Context } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { BoardEvent } from '../events.js';
import { admit, validInput, type Answer, type HandlerAnswer, type ErasedHandler } from './handler.js';
import { HANDLERS } from './table.js';
import { isSameRequest, keyReused, type AnswerToKeep, type Idempotency } from '../idempotency.js';
import { boardKeyOf, idFromUuid, type Uuid } from '../ids.js';
import { refuseGrowth } from '../limits.js';
import type { Change } from '../model.js';
import { writePosition } from '../position.js';
import { NotOnBoardError, RefusedStep, unknownOperation } from '../refusals.js';
import { findKept, lateRepeat, replay, toKeep, type Replay } from './steps/replay.js';
import type { Refused } from '../result.js';
import { list } from '../board/view.js';

export type BoardOutcome =
  | ({ readonly ok: true } & Answer)
  /** `unknownUsers` are not on the board. If one does not exist at all, the refusal becomes "not found". */
  | (Refused & {
      readonly unknownUsers?: readonly Uuid[];
      /** Of a batch: the index of the operation that was refused. */
      readonly step?: number;
    });

/** A user who joined or left a board, for the directory. A role is the board's own business and is not part of it. */
export interface Membership {
  readonly board_id: Uuid;
  readonly user_id: Uuid;
  readonly change: 'joined' | 'left';
}

export interface Decision {
  readonly outcome: BoardOutcome;
  readonly changes: readonly Change[];
  readonly events: readonly BoardEvent[];
  /** The board's number after these events. */
  readonly seq: number;
  readonly memberships: readonly Membership[];
  /** Users who lost access to a board that still exists: their sockets must close. */
  readonly removedUsers: readonly Uuid[];
  /** The member whose removal goes on with a later command: the contexts of those in between must say so. */
  readonly leaving: Uuid | null;
  readonly boardDeleted: boolean;
  /** The answer, to be kept in the commit of the change. */
  readonly keep: Omit<AnswerToKeep, 'outboxId'> | null;
  /** Of a replayed answer: the outbox entry that the first one waited for. */
  readonly outboxId: number | null;
}

/** `board` is null if there is none: only `board.create` and `board.import` accept that. */
export function decide(board: BoardState | null, command: BoardCommand, context: Context): Decision {
  const { op, caller, target: id, input, idempotency } = command;
  const state = board ?? BoardState.empty(id);
  // The types guarantee a handler, but a newer instance may send an operation that this one does not know.
  if (!Object.hasOwn(HANDLERS, op)) return refused(state, unknownOperation(op));
  const handler: ErasedHandler = HANDLERS[op];
  const wishedId = idempotency === undefined ? null : idFromUuid(boardKeyOf(id), idempotency.key);
  const draft = new Draft(state, caller === 'system' ? null : caller.user_id, context, wishedId);
  try {
    const kept = idempotency === undefined ? null : findKept(draft, command, handler.access, idempotency, context);
    if (idempotency !== undefined && kept !== null && isSameRequest(kept, idempotency)) {
      return replayed(state, replay(draft, kept, idempotency));
    }
    const target = admit(draft, caller, handler, id, input);
    if (kept !== null) throw keyReused();
    const valid = validInput(input);
    const late = wishedId === null ? null : lateRepeat(draft, command, wishedId);
    if (late !== null) return replayed(state, late);
    const answer = handler.run(draft, target, valid);
    const changes = draft.changes();
    // A changed profile must reach the board, however full it is: there is no caller to refuse.
    if (caller !== 'system' && changes.length > 0) refuseGrowth(state, draft, changes, context.limits);
    return accepted(state, draft, changes, answer, { effect: handler.effect, caller: draft.caller, idempotency });
  } catch (error) {
    if (error instanceof AppError) return refused(state, error);
    throw error;
  }
}

interface Asked {
  readonly effect: Effect;
  readonly caller: Uuid | null;
  readonly idempotency: Idempotency | undefined;
}

function accepted(
  board: BoardState,
  { events }: Draft,
  changes: readonly Change[],
  answer: HandlerAnswer,
  { effect, caller, idempotency }: Asked,
): Decision {
  const boardDeleted = changes.some((change) => change.kind === 'board' && 'remove' in change);
  const memberships = boardDeleted ? allLeave(board) : membershipsIn(board, changes);
  const removedUsers = boardDeleted ? [] : memberships.filter(({ change }) => change === 'left').map((gone) => gone.user_id);
  const seq = board.seq + events.length;
  const { json, leaving = null } = answer;
  const decided = { changes, events, seq, memberships, removedUsers, leaving, boardDeleted, outboxId: null };
  if (effect !== 'write') {
    const { position } = answer;
    return { outcome: position === undefined ? { ok: true, json } : { ok: true, json, position }, ...decided, keep: null };
  }
  const position = writePosition({ epoch: board.epoch, seq });
  const keep = idempotency === undefined ? null : toKeep(answer, position, caller, idempotency);
  return { outcome: { ok: true, json, position }, ...decided, keep };
}

const NOTHING = {
  changes: [],
  events: [],
  memberships: [],
  removedUsers: [],
  leaving: null,
  boardDeleted: false,
  keep: null,
  outboxId: null,
} as const satisfies Partial<Decision>;

function replayed(board: BoardState, { json, position, outboxId }: Replay): Decision {
  const outcome: BoardOutcome = { ok: true, json, ...(position === null ? {} : { position }), replayed: true };
  return { outcome, seq: board.seq, ...NOTHING, outboxId };
}

function refused(board: BoardState, error: AppError): Decision {
  const isStep = error instanceof RefusedStep;
  const refusal = isStep ? error.refusal : error;
  const outcome: BoardOutcome = {
    ok: false,
    error: refusal.toData(),
    ...(refusal instanceof NotOnBoardError ? { unknownUsers: refusal.users } : {}),
    ...(isStep ? { step: error.step } : {}),
  };
  return { outcome, seq: board.seq, ...NOTHING };
}

function membershipsIn(board: BoardState, changes: readonly Change[]): Membership[] {
  const memberships: Membership[] = [];
  for (const change of changes) {
    if (change.kind !== 'member') continue;
    const user_id = 'put' in change ? change.put.id : change.remove;
    const [before, after] = [board.get('member', user_id) !== undefined, 'put' in change];
    if (before !== after) memberships.push({ board_id: board.id, user_id, change: after ? 'joined' : 'left' });
  }
  return memberships;
}

function allLeave(board: BoardState): Membership[] {
  return list(board, 'member', board.id).map(({ id }) => ({ board_id: board.id, user_id: id, change: 'left' }));
}
