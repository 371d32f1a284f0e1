/** The shape of a handler, and steps that most handlers share. */
import type { BoardCommands, BoardOperation } from './commands.js';
import type { Draft } from '../board/draft.js';
import type { EventType } from '../events.js';
import type { Uuid } from '../ids.js';
import type { Authorship, Entities, Kind, Timestamps } from '../model.js';
import type { RankedKind } from '../board/structure.js';

export interface Answer {
  /** The body of the answer; null if there is none, or if `bytes` are given. */
  readonly json: string | null;
  /** A large body, encoded. */
  readonly bytes?: Uint8Array;
  /** The board's number in the body, if the caller may cache it. */
  readonly etagSeq?: number;
}

/** The entity that a command's target id leads to. `nothing` is for the command that creates the board. */
export interface Targets extends Entities {
  nothing: undefined;
}

export type TargetKind = keyof Targets;

/** The fields of inputs that come from the path. */
export type PathId = 'column_id' | 'label_id' | 'user_id';

/** Called if the target exists, the caller has access and the input is valid. Refuses by throwing an `AppError`. */
interface HandlerOn<T extends TargetKind, Op extends BoardOperation> {
  readonly target: T;
  /** Further ids in the path and their kinds: they are looked up with the target. */
  readonly path?: Readonly<Partial<Record<PathId, Kind>>>;
  run(draft: Draft, target: Targets[T], input: BoardCommands[Op]): Answer;
}

export type Handler<Op extends BoardOperation> = { [T in TargetKind]: HandlerOn<T, Op> }[TargetKind];

export type Handlers<Op extends BoardOperation = BoardOperation> = { readonly [O in Op]: Handler<O> };

/** The handlers of the operations whose names begin with a resource. */
export type HandlersOf<Resource extends string> = Handlers<Extract<BoardOperation, `${Resource}.${string}`>>;

/** The timestamps of a record that is created now. */
export function created(draft: Draft): Timestamps {
  return { created_at: draft.now, updated_at: draft.now };
}

/**
 * How far the youngest sibling may be ahead of the clock before the clock is used: imported siblings may be years
 * ahead.
 */
const FAR_AHEAD_MS = 1_000;

/** The same for kinds in order of creation: later than all siblings, even in the same millisecond. */
export function createdLast(draft: Draft, kind: Exclude<Kind, RankedKind | 'board'>, parent: Uuid): Timestamps {
  const siblings = draft.children(kind, parent);
  const youngest = siblings.at(siblings.size - 1)?.rank ?? -Infinity;
  const ahead = youngest - Date.parse(draft.now);
  if (ahead < 0 || ahead >= FAR_AHEAD_MS) return created(draft);
  const next = new Date(youngest + 1).toISOString();
  return { created_at: next, updated_at: next };
}

/** The timestamps and the author of a record that is created now. */
export function createdBy(draft: Draft): Timestamps & Authorship {
  const { now, caller } = draft;
  return { created_at: now, updated_at: now, created_by: caller, updated_by: caller };
}

/** Emits an event with the current record, and returns it as the answer. */
export function announce<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): Answer {
  const json = draft.render.record(kind, record);
  draft.emit(type, json);
  return { json };
}

/** Emits an event with the last state of a record, and removes it with everything below it. */
export function announceRemoval<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): Answer {
  draft.emit(type, draft.render.record(kind, record));
  draft.remove(kind, record.id);
  return { json: null };
}

/** A partial update. An absent field stays unchanged; without any field nothing changes and no event is emitted. */
export function update<K extends Kind>(
  draft: Draft,
  type: EventType,
  kind: K,
  record: Entities[K],
  input: Partial<Entities[K]>,
): Answer {
  const changes = givenFields(input);
  if (changes === null) return { json: draft.render.record(kind, record) };
  return announce(draft, type, kind, draft.revise(kind, record, changes));
}

/** The fields with a value, null if there are none. An undefined field counts as absent. */
export function givenFields<T extends object>(input: T): T | null {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : (Object.fromEntries(given) as T);
}
