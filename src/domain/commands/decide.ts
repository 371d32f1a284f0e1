/**
 * The only way a command reaches a board: access is checked before input, the handler works on a draft, and the result
 * is plain data. Deciding changes nothing; `BoardState.apply` does.
 */
import { BoardState } from '../board/board.js';
import type { BoardCommand } from './commands.js';
import type { Effect } from './steps/effect.js';
import type { Activity } from '../board/activity/facts.js';
import { refuseLeaving } from '../board/moves/leavingCards.js';
import { makeRoom } from '../board/trash/trashing.js';
import { Draft, type Context } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { BoardEvent } from '../events.js';
import { admit, validInput, type Answer, type HandlerAnswer, type ErasedHandler } from './handler.js';
import { HANDLERS } from './table.js';
import { isSameRequest, keyReused, type AnswerToKeep, type Idempotency, type KeyedCreate } from '../idempotency.js';
import { boardKeyOf, idFromUuid, type Uuid } from '../ids.js';
import { refuseGrowth } from '../limits.js';
import { isRestricted, type Change, type Role } from '../model.js';
import type { NewNotification } from '../account/notification.js';
import { writePosition } from '../position.js';
import { NotOnBoardError, RefusedStep, unknownOperation } from '../refusals.js';
import { keyedCreates, lateAnswer } from './steps/lateRepeat.js';
import { findKept, replay, toKeep, type Replay } from './steps/replay.js';
import type { Refused } from '../result.js';
import type { TimerChange } from '../board/timers/timers.js';
import { ownMinutesOf, reminderChanges, replanned } from '../board/timers/reminders.js';
import { list } from '../board/view.js';

export type BoardOutcome =
  | ({ readonly ok: true } & Answer)
  /** `unknownUsers` are not on the board. If one does not exist at all, the refusal becomes "not found". */
  | (Refused & {
      readonly unknownUsers?: readonly Uuid[];
      /** Of a batch: the index of the operation that was refused. */
      readonly step?: number;
    });

/** A member who got a role that changes nothing, or lost one: what their sockets may send has changed. */
export interface NewRole {
  readonly user_id: Uuid;
  readonly role: Role;
}

/** A user who joined or left a board, for the directory. A role is the board's own business and is not part of it. */
export interface Membership {
  readonly board_id: Uuid;
  readonly user_id: Uuid;
  readonly change: 'joined' | 'left';
  /** Named by a card that came from another board. */
  readonly is_visitor?: true;
}

export interface Decision {
  readonly outcome: BoardOutcome;
  readonly changes: readonly Change[];
  readonly events: readonly BoardEvent[];
  /** Null if the command adds nothing to it. */
  readonly activity: Activity | null;
  /** The board's number after these events. */
  readonly seq: number;
  readonly memberships: readonly Membership[];
  /** Users who lost access to a board that still exists: their sockets must close. */
  readonly removedUsers: readonly Uuid[];
  readonly newRoles: readonly NewRole[];
  /** The member whose removal goes on with a later command: the contexts of those in between must say so. */
  readonly leaving: Uuid | null;
  readonly boardDeleted: boolean;
  /** The deleted board can be restored. */
  readonly boardTrashed: boolean;
  readonly boardRestored: boolean;
  /** The answer, to be kept in the commit of the change. */
  readonly keep: Omit<AnswerToKeep, 'outboxId'> | null;
  /** What the command made with its key, to be kept in the same commit. */
  readonly creates: readonly KeyedCreate[];
  /** What the changes set and clear, in the same commit. */
  readonly timers: readonly TimerChange[];
  readonly notifications: readonly NewNotification[];
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
    const late = idempotency === undefined || kept !== null ? null : lateAnswer(draft, command, handler.access, wishedId);
    if (late !== null) return repeatedLate(state, late);
    const run = admit(draft, caller, handler, id, input);
    if (kept !== null) throw keyReused();
    const answer = run(validInput(input));
    if (answer.isLateRepeat === true) return repeatedLate(state, answer.json);
    let changes = draft.changes();
    if (caller !== 'system' && state.leaving.size > 0) refuseLeaving(state, op, changes);
    // A changed profile must reach the board, however full it is: there is no caller to refuse.
    if (caller !== 'system' && changes.length > 0) {
      const size = refuseGrowth(state, draft, changes, context.limits);
      if (draft.trashTotals.bytes > 0 && makeRoom(draft, size, context.limits)) changes = draft.changes();
    }
    const creates = idempotency === undefined ? [] : keyedCreates(draft, command, wishedId);
    return accepted(state, draft, changes, answer, { effect: handler.effect, caller: draft.caller, idempotency, creates });
  } catch (error) {
    if (error instanceof AppError) return refused(state, error);
    throw error;
  }
}

interface Asked {
  readonly effect: Effect;
  readonly caller: Uuid | null;
  readonly idempotency: Idempotency | undefined;
  readonly creates: readonly KeyedCreate[];
}

function accepted(
  board: BoardState,
  { events, activity, notifications, now, keepsDeletedBoard }: Draft,
  changes: readonly Change[],
  answer: HandlerAnswer,
  { effect, caller, idempotency, creates }: Asked,
): Decision {
  const boardDeleted = changes.some(isBoardRemoval);
  const boardTrashed = boardDeleted && keepsDeletedBoard;
  const boardRestored = answer.isRestored === true;
  const members = boardDeleted || boardRestored ? allMembers(board, boardDeleted ? 'left' : 'joined') : membershipsIn(board, changes);
  const removedUsers = boardDeleted ? NONE : members.filter(({ change }) => change === 'left').map((gone) => gone.user_id);
  const seq = board.seq + events.length;
  const { json, leaving = null, visitors, remindedUntil } = answer;
  const memberships =
    visitors === undefined
      ? members
      : [...members, ...visitors.map((user_id): Membership => ({ board_id: board.id, user_id, change: 'left', is_visitor: true }))];
  const newRoles = boardDeleted ? NONE : newRolesIn(board, changes);
  const ownTimers = timersIn(board, changes, now, remindedUntil);
  // In the trash the one timer of a card was cleared when it was due, and no one set it for those who are reminded later.
  const timers = boardRestored ? [...ownTimers, replanned(Date.parse(now))] : ownTimers;
  const position = effect === 'write' ? writePosition({ epoch: board.epoch, seq }) : answer.position;
  const outcome: BoardOutcome = position === undefined ? { ok: true, json } : { ok: true, json, position };
  const keep = effect !== 'write' || idempotency === undefined || position === undefined ? null : toKeep(answer, position, caller, idempotency);
  // Written out: spreading the parts together was a tenth of deciding a command.
  return {
    outcome,
    changes,
    events,
    activity,
    seq,
    memberships,
    removedUsers,
    newRoles,
    leaving,
    boardDeleted,
    boardTrashed,
    boardRestored,
    keep,
    creates,
    timers,
    notifications,
    outboxId: null,
  };
}

function isBoardRemoval(change: Change): boolean {
  return change.kind === 'board' && 'remove' in change;
}

const NONE: readonly never[] = [];

const NOTHING = {
  changes: [],
  events: [],
  activity: null,
  memberships: [],
  removedUsers: [],
  newRoles: [],
  leaving: null,
  boardDeleted: false,
  boardTrashed: false,
  boardRestored: false,
  keep: null,
  creates: [],
  timers: [],
  notifications: [],
  outboxId: null,
} as const satisfies Partial<Decision>;

function replayed(board: BoardState, { json, position, outboxId }: Replay): Decision {
  const outcome: BoardOutcome = { ok: true, json, ...(position === null ? {} : { position }), replayed: true };
  return { outcome, seq: board.seq, ...NOTHING, outboxId };
}

/** The position of its change is not known any more. */
function repeatedLate(board: BoardState, json: string | null): Decision {
  return replayed(board, { json, position: null, outboxId: null });
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

/** Most commands change no member, like those below. */
function membershipsIn(board: BoardState, changes: readonly Change[]): readonly Membership[] {
  if (!changes.some(isOfMember)) return NONE;
  const memberships: Membership[] = [];
  for (const change of changes) {
    if (change.kind !== 'member') continue;
    const user_id = 'put' in change ? change.put.id : change.remove;
    const [before, after] = [board.get('member', user_id) !== undefined, 'put' in change];
    if (before !== after) memberships.push({ board_id: board.id, user_id, change: after ? 'joined' : 'left' });
  }
  return memberships;
}

function newRolesIn(board: BoardState, changes: readonly Change[]): readonly NewRole[] {
  if (!changes.some(isOfMember)) return NONE;
  return changes.flatMap((change) => {
    if (change.kind !== 'member' || !('put' in change)) return [];
    const { id: user_id, role } = change.put;
    const before = board.get('member', user_id)?.role ?? role;
    return before !== role && (isRestricted(before) || isRestricted(role)) ? [{ user_id, role }] : [];
  });
}

/** Few cards have a date, and few members want other reminders: changes of the others cost one look. */
function timersIn(board: BoardState, changes: readonly Change[], now: string, remindedUntil?: number): readonly TimerChange[] {
  if (!changes.some((change) => isTimed(board, change))) return NONE;
  return reminderChanges(board, changes, remindedUntil ?? Date.parse(now), () => ownMinutesOf(list(board, 'member', board.id)));
}

function isOfMember({ kind }: Change): boolean {
  return kind === 'member';
}

function isTimed(board: BoardState, change: Change): boolean {
  if (!('put' in change)) return false;
  if (change.kind === 'member') return change.put.reminder_minutes !== (board.get('member', change.put.id)?.reminder_minutes ?? null);
  return change.kind === 'card' && (change.put.due_at ?? board.get('card', change.put.id)?.due_at ?? null) !== null;
}

function allMembers(board: BoardState, change: Membership['change']): Membership[] {
  return list(board, 'member', board.id).map(({ id }) => ({ board_id: board.id, user_id: id, change }));
}
