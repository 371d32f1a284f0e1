/** The shape of a handler, and the few steps that most handlers share. */
import type { Access, BoardCommands, BoardOperation, Nothing } from './commands.js';
import type { Effect } from './effect.js';
import type { Draft } from '../board/draft.js';
import type { EventType } from '../events.js';
import { givenFields, isEmpty } from '../givenFields.js';
import type { Uuid } from '../ids.js';
import type { Authorship, Entities, Kind, Timestamps } from '../model.js';
import type { RankedKind } from '../board/structure.js';

export interface Answer {
  /** What the caller asked for; null when there is nothing to say. */
  readonly json: string | null;
  /** The number of the latest event that `json` shows, where a caller may keep it. */
  readonly seq?: number;
}

/** What a command's target id leads to. `nothing` is for the command that makes the board in the first place. */
export interface Targets extends Entities {
  nothing: undefined;
}

export type TargetKind = keyof Targets;

/** The fields of inputs that come from the path. */
export type PathId = 'column_id' | 'label_id' | 'user_id';

/** Called when the target exists, the caller may do this and the input is sound. Refuses by throwing an `AppError`. */
interface HandlerOn<T extends TargetKind, Op extends BoardOperation> {
  readonly target: T;
  /** The role that a caller needs. The board checks it for every command, also for one from another instance. */
  readonly access: Access;
  /** Further ids that the path names, and what they must lead to: they are looked up with the target. */
  readonly path?: Readonly<Partial<Record<PathId, Kind>>>;
  run(draft: Draft, target: Targets[T], input: BoardCommands[Op]): Answer;
}

/** The read cache tells questions apart by operation, target, caller and `known_seq`. Any other input needs the board. */
type Cacheable<Op extends BoardOperation> = BoardCommands[Op] extends Nothing
  ? boolean
  : keyof BoardCommands[Op] extends 'known_seq'
    ? boolean
    : false;

/**
 * `cacheable`: the answer follows from the board alone, and may be given again until the board changes. That excludes
 * what is on disk (events, the content of files), and the start of an upload, which must see a deletion at once.
 */
type EffectOf<Op extends BoardOperation> =
  | { readonly effect: 'read'; readonly cacheable: Cacheable<Op> }
  | { readonly effect: Exclude<Effect, 'read'> };

export type Handler<Op extends BoardOperation> = { [T in TargetKind]: HandlerOn<T, Op> & EffectOf<Op> }[TargetKind];

export type Handlers<Op extends BoardOperation = BoardOperation> = { readonly [O in Op]: Handler<O> };

/** The handlers of the operations whose names begin with a resource. */
export type HandlersOf<Resource extends string> = Handlers<Extract<BoardOperation, `${Resource}.${string}`>>;

/** The marks of a record that is created now. */
export function created(draft: Draft): Timestamps {
  return { created_at: draft.now, updated_at: draft.now };
}

/** How far the youngest sibling may be ahead of the clock before the clock is believed: imported ones may be years. */
const FAR_AHEAD_MS = 1_000;

/** The same for what stands in the order of its creation: later than its siblings, be it in the same millisecond. */
export function createdLast(draft: Draft, kind: Exclude<Kind, RankedKind | 'board'>, parent: Uuid): Timestamps {
  const siblings = draft.children(kind, parent);
  const youngest = siblings.at(siblings.size - 1)?.rank ?? -Infinity;
  const ahead = youngest - Date.parse(draft.now);
  if (ahead < 0 || ahead >= FAR_AHEAD_MS) return created(draft);
  const next = new Date(youngest + 1).toISOString();
  return { created_at: next, updated_at: next };
}

/** The marks of a record that also keeps by whom. */
export function createdBy(draft: Draft): Timestamps & Authorship {
  const { now, caller } = draft;
  return { created_at: now, updated_at: now, created_by: caller, updated_by: caller };
}

/** Tells of a record as it is now: everyone on the board by an event, the caller by the answer. */
export function announce<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): Answer {
  const json = draft.render.record(kind, record);
  draft.emit(type, json);
  return { json };
}

/** Removes a record and what is below it, after telling of it as it was last. */
export function announceRemoval<K extends Kind>(draft: Draft, type: EventType, kind: K, record: Entities[K]): Answer {
  draft.emit(type, draft.render.record(kind, record));
  draft.remove(kind, record.id);
  return { json: null };
}

/** A partial update. An absent field stays as it is; without any field nothing changes and nothing is told. */
export function update<K extends Kind>(
  draft: Draft,
  type: EventType,
  kind: K,
  record: Entities[K],
  input: Partial<Entities[K]>,
): Answer {
  const changes = givenFields(input);
  if (isEmpty(changes)) return { json: draft.render.record(kind, record) };
  return announce(draft, type, kind, draft.revise(kind, record, changes));
}
