/**
 * What users watch. It stays on disk: a board in memory knows only whether there is anything, so that one that nobody watches
 * pays nothing for a change.
 */
import type { CommentPlace } from '../comments/commentsOnDisk.js';
import type { Uuid } from '../../ids.js';
import type { Watch } from '../../model.js';

/** The watches of one board. Reads are synchronous: a command decides at once. */
export interface WatchesOnDisk {
  any(): boolean;
  find(id: string): Watch | undefined;
  /** Of these boards, columns and cards. */
  of(targets: readonly Uuid[]): Watch[];
  /** What a user has chosen to watch, the latest first, before this place. Its id is that of the target. */
  page(user: Uuid, before: CommentPlace | null, limit: number): Watch[];
  /** Of a user, with those that are off. */
  idsOf(user: Uuid): string[];
  count(): number;
}

/** Of a board that is new, or read for its size alone. */
export const NO_WATCHES: WatchesOnDisk = {
  any: () => false,
  find: () => undefined,
  of: () => [],
  page: () => [],
  idsOf: () => [],
  count: () => 0,
};

/** On one board. They go with the member in one commit: two to three milliseconds. */
export const MAX_WATCHES_OF_USER = 500;
/** Of all users together. Those of a column with its cards go in one commit. */
export const MAX_WATCHES_OF_BOARD = 5_000;

/** Those of a board, column or card lie together. */
export function watchId(target: Uuid, user: Uuid): string {
  return `${target}.${user}`;
}
