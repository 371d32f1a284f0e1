/**
 * Requests that may be sent again. A request with a key is carried out once: its first answer is kept in the commit of
 * its change, and the same request with the same key gets that answer.
 */
import { DAY_MS } from './content/time.js';
import { AppError } from './errors.js';
import type { Uuid } from './ids.js';
import type { Kind } from './model.js';

export interface Idempotency {
  /** Chosen by the caller. */
  readonly key: string;
  /** Of method, path and body. Null while the body is still to come: then only the existence of an answer matters. */
  readonly fingerprint: string | null;
}

/** A record that an answer shows. */
export interface ShownRecord {
  readonly kind: Kind;
  readonly id: Uuid;
}

/** The first answer to a request with a key. */
export interface KeptAnswer {
  readonly fingerprint: string;
  /** Null if the answer has none, or if it was too large: then `shows` is what it showed. */
  readonly body: string | null;
  readonly shows: ShownRecord | null;
  /** Of the board after the change, see `writePosition`. */
  readonly position: string | null;
  /** The outbox entry that the first answer waited for. */
  readonly outboxId: number | null;
}

/** `scope`: whose key it is. */
export interface AnswerToKeep extends KeptAnswer {
  readonly scope: string;
  readonly key: string;
}

/** As stored. Ids rise with age. */
export interface AnswerRow extends AnswerToKeep {
  readonly id: number;
  readonly at: string;
}

/** What a request with a key can make on a board. */
export type CreatedKind = 'column' | 'card' | 'label' | 'checklist' | 'item' | 'attachment' | 'rule' | 'comment';

/**
 * Something that was made with a key, which gave it its id: kept longer than the answer, so that the request makes nothing
 * twice however late it is repeated.
 */
export interface KeyedCreate {
  readonly id: Uuid;
  readonly kind: CreatedKind;
  /** In which it was made; null: the board. Cards and items may be in another one now. */
  readonly parent: Uuid | null;
  readonly created_by: Uuid;
}

/** A write to the kept answers, as part of a commit. */
export type AnswerWrite =
  | { readonly op: 'answer.add'; readonly answer: AnswerRow }
  | { readonly op: 'answer.remove'; readonly ids: readonly number[] };

export const MAX_KEY_CHARACTERS = 255;

export const ANSWER_LIFETIME_MS = DAY_MS;

/**
 * The bounds of what one user leaves in one file. Beyond them the oldest answers of the same user go, so no user can use
 * up the room of others, until `LEFT_KEPT` is left: reading all of them takes milliseconds, so it is done rarely. The
 * newest answer always stays.
 */
export const MAX_KEPT = { answers: 1_000, bytes: 4 * 1024 * 1024 } as const;
export const LEFT_KEPT = { answers: 500, bytes: 2 * 1024 * 1024 } as const;

/** A longer body is not kept if it shows a record: a repeated request then shows the record as it is now. */
export const MAX_KEPT_CHARACTERS = 64 * 1024;

/** The time from which on answers count. */
export function answersSince(now: string): string {
  return new Date(Date.parse(now) - ANSWER_LIFETIME_MS).toISOString();
}

/** Also if the body of the request is still to come. */
export function isSameRequest(kept: Pick<KeptAnswer, 'fingerprint'>, { fingerprint }: Idempotency): boolean {
  return fingerprint === null || fingerprint === kept.fingerprint;
}

export function keyReused(): AppError {
  return new AppError('invalid', 'Idempotency-Key: was already used for another request');
}
