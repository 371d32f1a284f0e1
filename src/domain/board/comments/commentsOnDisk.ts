/**
 * Comments of cards. They stay on disk, so a board in memory costs nothing for them: its cards have their number and their
 * share of the board's budget, and everything else is read through this port when it is asked for.
 */
import { jsonBytes } from '../boardSize.js';
import type { Uuid } from '../../ids.js';
import type { Card, Comment } from '../../model.js';

/** The comments of one board. Reads are synchronous: a command decides at once. */
export interface CommentsOnDisk {
  find(id: Uuid): Comment | undefined;
  /** Comments of a card that are older than this place, the newest first. At least one, if there is one; then fewer if they are long. */
  page(card: Uuid, before: CommentPlace | null, limit: number, maxCharacters: number): Comment[];
  /** Some of an author. */
  byAuthor(user: Uuid, limit: number): Comment[];
}

/** Of a board that is new, or read for its size alone. */
export const NO_COMMENTS: CommentsOnDisk = { find: () => undefined, page: () => [], byAuthor: () => [] };

/** Comments of a card are in order of their creation. */
export type CommentPlace = Pick<Comment, 'created_at' | 'id'>;

/** Bytes of a comment besides its text: its row, its entries in the indexes, its author and mentions. */
export const COMMENT_BYTES = 512;
/** The comments of a card are exported at once: these take some twenty milliseconds. */
export const MAX_CARD_COMMENT_BYTES = 4 * 1024 * 1024;
/** Of the texts in one page. */
export const PAGE_CHARACTERS = 512 * 1024;

export function bytesOfComment({ body }: Pick<Comment, 'body'>): number {
  return COMMENT_BYTES + jsonBytes(body);
}

/** The card with one comment more, less or changed. It is no change of the card itself: `updated_at` stays. */
export function withComment(card: Card, before: Comment | null, after: Comment | null): Card {
  const count = (after === null ? 0 : 1) - (before === null ? 0 : 1);
  const bytes = (after === null ? 0 : bytesOfComment(after)) - (before === null ? 0 : bytesOfComment(before));
  return { ...card, comment_count: card.comment_count + count, comment_bytes: card.comment_bytes + bytes };
}

export function writePlace({ created_at, id }: CommentPlace): string {
  return `${created_at}_${id}`;
}

export const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Null if it is none. */
export function readPlace(text: string): CommentPlace | null {
  const [, created_at, id] = PLACE.exec(text) ?? [];
  return created_at === undefined || id === undefined ? null : { created_at, id };
}
