/** Edits of texts: what an edit makes of the current text, and keeping what it replaces. */
import type { Draft } from '../draft.js';
import { olderRuns } from '../laterFields.js';
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import type { Card, Comment, Version } from '../../model.js';
import { mergeTexts } from './mergeTexts.js';
import { bytesOfVersion, MAX_VERSIONS, versionId, type TextId } from './versionsOnDisk.js';

/** The current text of a card or a comment. */
export interface CurrentText extends TextId {
  readonly text: string | null;
  readonly version: number;
  /** Of the card or comment. */
  readonly created_by: Uuid | null;
  readonly created_at: string;
}

export function descriptionOf({ id, description, text_edits, created_by, created_at }: Card): CurrentText {
  return { card_id: id, id, text: description, version: text_edits + 1, created_by, created_at };
}

export function bodyOf({ id, card_id, body, text_version, created_by, created_at }: Comment): CurrentText {
  return { card_id, id, text: body, version: text_version, created_by, created_at };
}

/** What an edit is allowed to become: a merge may be longer than both of its texts. */
type IsAllowed = (text: string) => boolean;

/** The text after an edit of the version `base`; without one the edit replaces whatever is there. */
export function editedText(draft: Draft, current: CurrentText, text: string | null, base: number | undefined, isAllowed: IsAllowed): string | null {
  if (base === undefined) return text;
  if (base > current.version) throw new AppError('invalid', `base: must not be greater than ${current.version}, the current version`);
  if (base === current.version || text === current.text) return text;
  const written = draft.get('version', versionId(current, base));
  if (written === undefined) throw conflict(current, 'The version on which the text was written is kept no longer');
  const merged = mergeTexts(written.text ?? '', text ?? '', current.text ?? '');
  if (merged === null || !isAllowed(merged)) throw conflict(current, 'The text was changed meanwhile, in the same place or in many places');
  return merged === '' && (text === null || current.text === null) ? null : merged;
}

function conflict({ text, version }: CurrentText, detail: string): AppError {
  return new AppError('conflict', detail, { fields: { current: text, text_version: version } });
}

/** Keeps the text that the caller replaces. Nothing is kept while a program runs that knows no versions. */
export function keepVersion(draft: Draft, replaced: CurrentText): void {
  if (!draft.keepsVersions) return;
  const { text, version } = replaced;
  const { author, at } = writing(draft, replaced);
  const id = versionId(replaced, version);
  const row: Version = {
    id,
    text,
    bytes: bytesOfVersion(text),
    written_by: author,
    written_at: at,
    created_by: draft.caller,
    created_at: draft.now,
    updated_at: draft.now,
  };
  draft.put('version', row);
  if (version > MAX_VERSIONS) draft.remove('version', versionId(replaced, version - MAX_VERSIONS));
}

/** Who wrote the current text when: who replaced the one before it. Null if that is not kept. */
export function writing(draft: Draft, current: CurrentText): { readonly author: Uuid | null; readonly at: string | null } {
  if (current.version === 1) return { author: current.created_by, at: current.created_at };
  const before = draft.get('version', versionId(current, current.version - 1));
  return { author: before?.created_by ?? null, at: before?.created_at ?? null };
}

/** Throws while a program runs that does not count the versions of a card. */
export function requireVersions(draft: Draft): void {
  if (!draft.keepsVersions) throw olderRuns();
}
