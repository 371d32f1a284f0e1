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
 * itself. A board that is gone has no rights to check; a user who has left needs none to leave.
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
