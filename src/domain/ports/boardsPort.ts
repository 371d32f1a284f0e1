import type { BoardPlan } from '../document/boardPlan.js';
import type { BoardCommand } from '../commands/commands.js';
import type { Outcome } from '../commands/decide.js';
import type { Uuid } from '../ids.js';

/** The boards, wherever they live: in another thread, in this one, or in another process. */
export interface BoardsPort {
  /** A refusal is an outcome. It rejects only when nobody could be asked. */
  ask(command: BoardCommand): Promise<BoardAnswer>;
}

/** Whole boards on their way in. */
export interface ImportPort {
  /** Makes a board from its plan: it is there when this answers, or not at all. */
  import(plan: BoardPlan): Promise<Outcome>;
}

/** `bytes`, where they are given, are the encoded body, and stand for `json`. */
export type BoardAnswer = Outcome & { readonly bytes?: Uint8Array };

/** The body in whichever form it came; null where there is none. */
export function bodyOf({ json, bytes }: BoardAnswer & { ok: true }): string | Uint8Array | null {
  return bytes ?? json;
}

/** For answers that become part of another text. */
export function textOf(answer: BoardAnswer & { ok: true }): string | null {
  const body = bodyOf(answer);
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : body;
}

/**
 * The bytes of attachments, kept beside their boards. An upload is staged chunk by chunk under the id that the
 * attachment will have; `attachment.create` makes it part of the board, and only then does anyone see it.
 */
export interface ContentPort {
  start(attachmentId: Uuid): Promise<void>;
  /** Chunks are numbered from 0 and at most `MAX_CHUNK_BYTES` long. Several may be under way, sent in their order. */
  append(attachmentId: Uuid, n: number, bytes: Uint8Array): Promise<void>;
  drop(attachmentId: Uuid): Promise<void>;
  /** The bytes from `from` up to but not including `to`. */
  read(attachmentId: Uuid, from: number, to: number): Promise<Uint8Array>;
}

/** What a chunk holds at most: the step in which an upload is stored, and what a download holds in memory. */
export const MAX_CHUNK_BYTES = 64 * 1024;
