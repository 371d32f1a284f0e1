/**
 * A label comes back from the trash with its links to cards. Cards may be away themselves, in the archive or the trash: those that
 * leave without the label get it there, those that return without it are added to its links.
 */
import type { Uuid } from '../../ids.js';
import { MAX_ON_ONE } from '../../limits.js';
import type { Archived, Card } from '../../model.js';
import { totalsOf } from '../archive/archiveOnDisk.js';
import type { Draft } from '../draft.js';
import { recordsIn, totalsOfContent } from './trashOnDisk.js';

/** What was written again. */
interface Rewritten {
  readonly records: number;
  readonly bytes: number;
}

const NOTHING: Rewritten = { records: 0, bytes: 0 };

/** The card with the label at its place; the same card if it has it, or has no room. */
export function withLabel(card: Card, label: Uuid, place: number): Card {
  if (card.label_ids.includes(label) || card.label_ids.length >= MAX_ON_ONE.labels) return card;
  return { ...card, label_ids: card.label_ids.toSpliced(place, 0, label) };
}

/** Gives the label to a card that is not on the board. */
export function labelAway(draft: Draft, id: Uuid, label: Uuid, place: number): Rewritten {
  const labelled = (card: Card): Card => (card.id === id ? withLabel(card, label, place) : card);
  const inArchive = (row: Archived): Archived =>
    row.content.card === undefined ? row : { ...row, content: { ...row.content, card: labelled(row.content.card) } };
  const archived = draft.get('archived', id);
  if (archived !== undefined) {
    draft.put('archived', inArchive(archived));
    return { records: 1 + totalsOf(archived).items, bytes: archived.bytes };
  }
  const holder = draft.trash.holderOf(id);
  const row = holder === undefined ? undefined : draft.get('trashed', holder);
  if (row === undefined) return NOTHING;
  // Several of the cards may be in one row.
  const rewritten = draft.hasWritten('trashed', row.id) ? NOTHING : { records: recordsIn(row), bytes: row.bytes };
  const { card = [], archived: rows } = row.content;
  const content = { ...row.content, ...(rows === undefined ? { card: card.map(labelled) } : { archived: rows.map(inArchive) }) };
  draft.put('trashed', { ...row, content });
  return rewritten;
}

/** Of cards that return, as they were when they left: labels that are in the trash meanwhile come back to them, too. */
export function keepLabelLinks(draft: Draft, cards: readonly Card[]): void {
  const links = new Map<Uuid, Array<readonly [card: Uuid, place: number]>>();
  for (const { id, label_ids } of cards) {
    for (const [place, label] of label_ids.entries()) {
      if (draft.get('label', label) !== undefined) continue;
      const own = links.get(label);
      if (own === undefined) links.set(label, [[id, place]]);
      else own.push([id, place]);
    }
  }
  for (const [label, own] of links) {
    const entry = draft.get('trashed', label);
    if (entry?.trashed_kind !== 'label') continue;
    const content = { ...entry.content, labelled: [...(entry.content.labelled ?? []), ...own] };
    draft.put('trashed', { ...entry, ...totalsOfContent(content), content });
  }
}
