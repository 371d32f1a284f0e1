import type { Answer } from '../answer.js';
import type { BoardPlan } from '../document/boardPlan.js';
import type { BoardCommand } from '../commands/commands.js';
import type { BoardOutcome } from '../commands/decide.js';
import type { AnswerToKeep, KeptAnswer } from '../idempotency.js';
import type { Uuid } from '../ids.js';

/** The boards, in another thread, in this one, or in another process. */
export interface BoardsPort {
  /** A refusal is an outcome. Rejects only if the board could not be asked. A value instead of a promise is no refusal. */
  ask(command: BoardCommand): Answer<BoardAnswer>;
}

/** Import of whole boards. */
export interface ImportPort {
  /** Creates a board from its plan: it exists completely when this resolves, or not at all. */
  import(plan: BoardPlan, keep?: ImportAnswer): Promise<BoardOutcome>;
}

/** The answer to an import, which the shard keeps with the board. */
export type ImportAnswer = Pick<AnswerToKeep, 'scope' | 'key' | 'fingerprint'> & { readonly body: string };

/**
 * `board`: whether there is a board with the id, or `taken`, another one with its key. `loose`: the rows of a deleted board or of an unfinished import, which
 * are being deleted.
 */
export interface FoundAnswer {
  readonly kept: KeptAnswer | null;
  readonly board: 'none' | 'exists' | 'taken' | 'loose';
}

export interface TrashedBoardsPort {
  /** The deleted board can be restored no longer. When this resolves, the directory lists it no more. */
  discard(boardId: Uuid): Promise<void>;
}

/** What is known of a board that a request with a key creates, before it does. */
export interface AnswersPort {
  /** The answer to the user's request with this key in the shard of the board. */
  find(boardId: Uuid, userId: Uuid, key: string): Promise<FoundAnswer>;
}

/** `bytes`, if given, are the encoded body and replace `json`. */
export type BoardAnswer = (Extract<BoardOutcome, { ok: true }> & { readonly bytes?: Uint8Array }) | Extract<BoardOutcome, { ok: false }>;

/** The body as text or bytes; null if there is none. */
export function bodyOf({ json, bytes }: BoardAnswer & { ok: true }): string | Uint8Array | null {
  return bytes ?? json;
}

/** For answers that become part of another text. */
export function textOf(answer: BoardAnswer & { ok: true }): string | null {
  const body = bodyOf(answer);
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : body;
}

/**
 * The content of attachments, stored beside their boards. An upload is staged chunk by chunk under the id of the future
 * attachment; it becomes visible with `attachment.create`.
 */
export interface ContentPort {
  /** False if the id is in use: another must be drawn. */
  start(attachmentId: Uuid): Promise<boolean>;
  /** Chunks are numbered from 0 and at most `MAX_CHUNK_BYTES` long. Several may be under way, sent in their order. */
  append(attachmentId: Uuid, n: number, bytes: Uint8Array): Promise<void>;
  drop(attachmentId: Uuid): Promise<void>;
  /** The bytes from `from` up to but not including `to`. */
  read(attachmentId: Uuid, from: number, to: number): Promise<Uint8Array>;
}

/** What a chunk holds at most: the step in which an upload is stored, and what a download holds in memory. */
export const MAX_CHUNK_BYTES = 64 * 1024;
