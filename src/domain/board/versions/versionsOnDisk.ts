/**
 * Earlier versions of the descriptions of cards and of the bodies of comments. They stay on disk, and give way: the oldest go
 * when a text or a board has many of them, and all after `VERSION_DAYS`.
 */
import { jsonBytes } from '../boardSize.js';
import type { Uuid } from '../../ids.js';
import type { Version } from '../../model.js';

/** Of one board. Reads are synchronous: a command decides at once. */
export interface VersionsOnDisk {
  find(id: string): Version | undefined;
  /** Versions of a text with lower numbers, the newest first. At least one, if there is one; then fewer if they are long. */
  page(text: TextId, before: number, limit: number, maxCharacters: number): Version[];
}

/** Of a board that is new, or read for its size alone. */
export const NO_VERSIONS: VersionsOnDisk = { find: () => undefined, page: () => [] };

/** A text of a card: its description, or a comment. */
export interface TextId {
  readonly card_id: Uuid;
  /** Of the card itself, or of the comment. */
  readonly id: Uuid;
}

/** Of each text, besides the current one. */
export const MAX_VERSIONS = 50;
/** After a text was replaced. */
export const VERSION_DAYS = 90;
/** Of all versions of a board. The oldest go first. */
export const MAX_VERSION_BYTES = 32 * 1024 * 1024;
/** Bytes of a version besides its text: its row, and its entries in the indexes. */
const VERSION_BYTES = 384;
/** Of the texts in one page. */
export const PAGE_CHARACTERS = 512 * 1024;

const NUMBER_DIGITS = 10;

/** The versions of a card lie together, and those of each text in the order of their numbers. */
export function versionId({ card_id, id }: TextId, version: number): string {
  return `${card_id}.${id}.${String(version).padStart(NUMBER_DIGITS, '0')}`;
}

export function versionIn(id: string): number {
  return Number(id.slice(-NUMBER_DIGITS));
}

export function bytesOfVersion(text: string | null): number {
  return VERSION_BYTES + jsonBytes(text);
}
