/**
 * The only way a command reaches a board: access is checked before input, the handler works on a draft, and the result
 * is plain data. Deciding changes nothing; `BoardState.apply` does.
 */
import { BoardState } from '../board/board.js';
import type { Access, BoardCommand, Caller, RefusedInput } from './commands.js';
import { Draft, type Context } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { BoardEvent } from '../events.js';
import type { Answer, PathId, TargetKind, Targets } from './handler.js';
import { HANDLERS } from './table.js';
import type { Uuid } from '../ids.js';
import { refuseGrowth } from '../limits.js';
import type { Change, Kind } from '../model.js';
import { NotOnBoardError, notFound, notMember, notOwner, notService, unknownOperation } from '../refusals.js';
import type { Refused } from '../result.js';
import { list } from '../board/view.js';

export type BoardOutcome =
  | ({ readonly ok: true } & Answer)
  /** `unknownUsers` are not on the board. If one does not exist at all, the refusal becomes "not found". */
  | (Refused & { readonly unknownUsers?: readonly Uuid[] });

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
  readonly boardDeleted: boolean;
}

/** `board` is null if there is none: only `board.create` and `board.import` accept that. */
export function decide(board: BoardState | null, command: BoardCommand, context: Context): Decision {
  const { op, caller, target: id, input } = command;
  const state = board ?? BoardState.empty(id);
  // The types guarantee a handler, but a newer instance may send an operation that this one does not know.
  if (!Object.hasOwn(HANDLERS, op)) return refused(state, unknownOperation(op));
  const handler: ErasedHandler = HANDLERS[op];
  const draft = new Draft(state, caller === 'system' ? null : caller.user_id, context);
  try {
    const target = findTarget(draft, handler.target, id);
    requireOnBoard(draft, handler.path ?? {}, isRefused(input) ? input.path : input);
    authorise(draft, caller, handler.access, input);
    if (isRefused(input)) throw AppError.from(input.refused);
    const answer = handler.run(draft, target, input);
    const changes = draft.changes();
    // A changed profile must reach the board, however full it is: there is no caller to refuse.
    if (caller !== 'system' && changes.length > 0) refuseGrowth(state, draft, changes, context.limits);
    return accepted(state, draft, changes, answer);
  } catch (error) {
    if (error instanceof AppError) return refused(state, error);
    throw error;
  }
}

/** The operation selects the handler at run time, so the types of both are erased here. */
interface ErasedHandler {
  readonly target: TargetKind;
  readonly access: Access;
  readonly path?: Readonly<Partial<Record<PathId, Kind>>>;
  run(draft: Draft, target: Targets[TargetKind], input: object): Answer;
}

function findTarget(draft: Draft, kind: TargetKind, id: Uuid): Targets[TargetKind] {
  if (kind === 'nothing') {
    if (draft.get('board', draft.id) !== undefined) throw new AppError('conflict', 'The board already exists');
    return undefined;
  }
  const target = draft.get(kind, id);
  if (target === undefined) throw notFound(kind);
  return target;
}

function requireOnBoard(draft: Draft, path: Readonly<Partial<Record<string, Kind>>>, ids: object): void {
  for (const [name, id] of Object.entries(ids)) {
    const kind = path[name];
    if (kind !== undefined && draft.get(kind, String(id)) === undefined) throw notFound(kind);
  }
}

function authorise(draft: Draft, caller: Caller, access: Access, input: object): void {
  if (caller === 'system' || access === 'anyone') return;
  if (access === 'system') throw notService();
  const member = draft.get('member', caller.user_id);
  if (member === undefined) throw notMember();
  if (access === 'member' || member.role === 'owner') return;
  const concernsSelf = 'user_id' in input && input.user_id === caller.user_id;
  if (access !== 'self_or_owner' || !concernsSelf) throw notOwner();
}

function isRefused(input: object): input is RefusedInput {
  return 'refused' in input;
}

function accepted(board: BoardState, { events }: Draft, changes: readonly Change[], answer: Answer): Decision {
  const boardDeleted = changes.some((change) => change.kind === 'board' && 'remove' in change);
  const memberships = boardDeleted ? allLeave(board) : membershipsIn(board, changes);
  const removedUsers = boardDeleted ? [] : memberships.filter(({ change }) => change === 'left').map((gone) => gone.user_id);
  const seq = board.seq + events.length;
  return { outcome: { ok: true, ...answer }, changes, events, seq, memberships, removedUsers, boardDeleted };
}

function refused(board: BoardState, error: AppError): Decision {
  const outcome: BoardOutcome =
    error instanceof NotOnBoardError
      ? { ok: false, error: error.toData(), unknownUsers: error.users }
      : { ok: false, error: error.toData() };
  const nothing = { changes: [], events: [], memberships: [], removedUsers: [], boardDeleted: false };
  return { outcome, seq: board.seq, ...nothing };
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
