/** The kept answer of a command with an idempotency key: asked for before the command runs, and made after it. */
import type { Context, Draft } from '../../board/draft.js';
import { holdsMark } from '../../board/marks.js';
import { MAX_KEPT_CHARACTERS, type AnswerToKeep, type Idempotency, type KeptAnswer } from '../../idempotency.js';
import type { Uuid } from '../../ids.js';
import { notFound } from '../../refusals.js';
import type { Access, BoardCommand } from '../commands.js';
import { denial, isOwnMatter, type HandlerAnswer } from '../handler.js';

export type Replay = Pick<KeptAnswer, 'position' | 'outboxId'> & { readonly json: string | null };

/**
 * The kept answer, if the caller may still see it. What the request was about may be gone by now, removed by the request
 * itself. Of a board that is gone, nobody has rights that could be checked; a user who has left needs none to leave.
 */
export function findKept(
  draft: Draft,
  { caller, input }: BoardCommand,
  access: Access,
  { key }: Idempotency,
  { findAnswer }: Context,
): KeptAnswer | null {
  if (caller === 'system' || findAnswer === undefined) throw new Error('a key where no answers are kept');
  const isGone = draft.get('board', draft.id) === undefined;
  const mayAsk = isGone || isOwnMatter(caller, access, input) || denial(draft, caller, access, input) === null;
  return mayAsk ? findAnswer(caller.user_id, key) : null;
}

/** What an operation creates with the id of its key, where the record names its creator. */
export const KNOWN_CREATORS = { 'card.create': 'card', 'column.create': 'column' } as const satisfies Partial<
  Record<BoardCommand['op'], 'card' | 'column'>
>;

/**
 * A create whose answer was forgotten, repeated: what it made is there, and is the caller's. Null if nothing has its id. It has
 * no position, because that of its change is not known any more. Anything else with this id is refused where the id is given.
 */
export function lateRepeat(draft: Draft, { op, caller }: BoardCommand, wishedId: Uuid): Replay | null {
  if (caller === 'system' || !isKnownCreate(op)) return null;
  const kind = KNOWN_CREATORS[op];
  const record = draft.get(kind, wishedId);
  if (record?.created_by !== caller.user_id) return null;
  return { json: draft.render.record(kind, record), position: null, outboxId: null };
}

function isKnownCreate(op: BoardCommand['op']): op is keyof typeof KNOWN_CREATORS {
  return Object.hasOwn(KNOWN_CREATORS, op);
}

/** Throws if what a large answer showed is gone. */
export function replay(draft: Draft, kept: KeptAnswer, { fingerprint }: Idempotency): Replay {
  const { position, outboxId } = kept;
  // Without a fingerprint the caller only learns that there is an answer.
  return { json: fingerprint === null ? null : bodyOf(draft, kept), position, outboxId };
}

function bodyOf(draft: Draft, { body, shows }: KeptAnswer): string | null {
  if (shows === null) return body;
  const record = draft.get(shows.kind, shows.id);
  if (record === undefined) throw notFound(shows.kind);
  return draft.render.record(shows.kind, record);
}

/** A body that is shown anew when it is asked for again need not be kept. */
function isKeptWhole({ json, shows }: HandlerAnswer): boolean {
  return json === null || shows === undefined || (json.length <= MAX_KEPT_CHARACTERS && !holdsMark(json));
}

export function toKeep(
  answer: HandlerAnswer,
  position: string,
  scope: Uuid | null,
  { key, fingerprint }: Idempotency,
): Omit<AnswerToKeep, 'outboxId'> {
  if (scope === null || fingerprint === null) throw new Error('a change with a key needs a user and a fingerprint');
  const isWhole = isKeptWhole(answer);
  const shows = isWhole ? null : (answer.shows ?? null);
  return { scope, key, fingerprint, position, body: isWhole ? answer.json : null, shows };
}
