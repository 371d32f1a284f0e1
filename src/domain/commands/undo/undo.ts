/**
 * Takes back one command, as a new command: each of its facts is inverted, the last one first, with the rights that the
 * inverse needs now. What others changed since is never touched: the command is refused if they changed the same fields.
 */
import { deletedUser } from '../../account/user.js';
import type { StoredFact } from '../../board/activity/activityOnDisk.js';
import type { FactDetails, FactFields } from '../../board/activity/facts.js';
import type { Draft } from '../../board/draft.js';
import { olderRuns } from '../../board/laterFields.js';
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import { MAX_BATCH_CHARACTERS } from '../batch.js';
import type { Handler, HandlerAnswer, Handlers } from '../handler.js';
import { cannotUndo, invert, type Inverted, type InvertingOperation, type Since } from './inverse.js';
import { DAY_MS } from '../../content/time.js';

/** Facts that are looked through for the caller's last change, or for changes since: two milliseconds. */
const MAX_LOOKED_AT = 2_000;
/** Of one command: more would take long. */
const MAX_FACTS = 200;
export const UNDO_DAYS = 30;

type UndoneFact = StoredFact & Inverted;

export function undoHandler(handlers: Handlers<InvertingOperation>): Handler<'board.undo'> {
  return {
    target: 'board',
    access: 'commenter',
    effect: 'write',
    grows: true,
    lists: null,
    run(draft, _board, { seq }) {
      const { recorder } = draft;
      if (recorder === undefined) throw olderRuns();
      const facts = seq === null ? lastOf(draft) : commandAt(draft, seq);
      const [first] = facts;
      if (first === undefined) throw new AppError('not_found', 'There is nothing to undo');
      requireUndoable(draft, facts);
      const since = changesSince(draft, facts);
      recorder.undoes = first.first;
      let characters = 0;
      for (const fact of inOrderOfUndoing(facts)) {
        const emitted = draft.events.length;
        invert(handlers, draft, fact, since);
        for (const { json } of draft.events.slice(emitted)) characters += json.length;
        // A column shows all its cards, and one command may have changed many columns.
        if (characters > MAX_BATCH_CHARACTERS) throw cannotUndo('What it concerns has become too large to be undone at once');
      }
      // Such as a label that went from the card when it was deleted.
      if (draft.activity === null) throw cannotUndo('Nothing is left of the change');
      return answer(draft, first.first);
    },
  };
}

/** The last one first; but a file comes back before the cover of its card, which went because of it. */
function inOrderOfUndoing(facts: readonly UndoneFact[]): readonly UndoneFact[] {
  const ordered = facts.toReversed();
  for (const [index, file] of facts.entries()) {
    const card = facts[index + 1];
    if (card === undefined || !wasItsCover(file, card)) continue;
    const at = facts.length - 1 - index;
    [ordered[at - 1], ordered[at]] = [file, card];
  }
  return ordered;
}

function wasItsCover(file: UndoneFact, card: UndoneFact): boolean {
  const cover = card.details.before?.['cover'];
  return (
    file.kind === 'attachment.deleted' &&
    typeof cover === 'object' &&
    cover !== null &&
    'attachment_id' in cover &&
    cover.attachment_id === file.details.id
  );
}

function answer(draft: Draft, undone: number): HandlerAnswer {
  return { json: JSON.stringify({ seq: draft.seq + 1, undone }) };
}

/** Of the caller's last change that is not taken back and takes nothing back itself. */
function lastOf(draft: Draft): readonly UndoneFact[] {
  const undone = new Set<number>();
  let looked = 0;
  for (const fact of draft.activityOnDisk.read({ before: null, after: -1, card_id: null })) {
    if ((looked += 1) > MAX_LOOKED_AT) break;
    const { undoes } = withDetails(fact).details;
    if (undoes !== undefined) {
      if (!undone.has(fact.first)) undone.add(undoes);
    } else if (fact.user_id === draft.caller && !undone.has(fact.first)) {
      return factsOf(draft, fact.first);
    }
  }
  return [];
}

function commandAt(draft: Draft, seq: number): readonly UndoneFact[] {
  const first = draft.activityOnDisk.commandAt(seq);
  return first === null ? [] : factsOf(draft, first);
}

function factsOf(draft: Draft, first: number): readonly UndoneFact[] {
  const facts = draft.activityOnDisk.command(first, MAX_FACTS + 1).map(withDetails);
  if (facts.length > MAX_FACTS) throw cannotUndo('The change is too large to be undone');
  return facts;
}

function withDetails(fact: StoredFact): UndoneFact {
  return { ...fact, details: JSON.parse(fact.json) as FactDetails };
}

function requireUndoable(draft: Draft, facts: readonly UndoneFact[]): void {
  const isOwn = facts.some(({ user_id }) => user_id === draft.caller);
  const role = draft.caller === null ? undefined : draft.get('member', draft.caller)?.role;
  if (!isOwn && role !== 'owner') throw new AppError('forbidden', 'Only an owner of the board may undo changes of others');
  if (facts.some(({ details }) => details.moved === true)) throw cannotUndo('Moves to another board cannot be undone');
  const oldest = Date.parse(draft.now) - UNDO_DAYS * DAY_MS;
  if (facts.some(({ at }) => Date.parse(at) < oldest)) throw cannotUndo(`Changes can be undone for ${UNDO_DAYS} days`);
}

/** Refuses if one of the fields was changed since, other than by a change that is taken back. Returns what else was changed. */
function changesSince(draft: Draft, facts: readonly UndoneFact[]): Since {
  const [{ first } = { first: 0 }, last] = [facts[0], facts.at(-1)];
  const cards = new Set(facts.map(({ card_id }) => card_id));
  const [card_id = null] = cards.size === 1 ? cards : [];
  const undone = new Set<number>();
  const changes = new Map<Uuid, () => string>();
  const ids = new Set(facts.map(({ details }) => details.id));
  let looked = 0;
  const since = { before: null, after: last?.seq ?? 0, card_id };
  if (card_id !== null && draft.activityOnDisk.endOf(since) !== null) throw tooMuch();
  for (const stored of draft.activityOnDisk.read(since)) {
    if ((looked += 1) > MAX_LOOKED_AT) throw tooMuch();
    const later = withDetails(stored);
    const { undoes } = later.details;
    if (undone.has(later.first)) continue;
    if (undoes !== undefined) {
      if (undoes === first) throw cannotUndo('The change has been undone already');
      undone.add(undoes);
      // Both are after the change, and cancel each other.
      if (undoes > first) continue;
    }
    const touched = facts.flatMap((fact) => touchedBy(fact, later));
    const change = (): string => `${whoDid(draft, later)} changed ${nameOf(later)}`;
    if (touched.length > 0) throw cannotUndo(`${change()} since: ${[...new Set(touched)].join(', ')}`);
    for (const id of concernedBy(draft, later, ids)) changes.set(id, change);
  }
  return changes;
}

/** Its record and card, and which of these labels it put on a card that has them in the archive now. */
function concernedBy(draft: Draft, { card_id, details: { id, after } }: UndoneFact, labels: ReadonlySet<Uuid>): readonly Uuid[] {
  if (card_id === null) return [id];
  const put = after?.['label_ids'];
  const wanted = Array.isArray(put) ? (put as readonly Uuid[]).filter((label) => labels.has(label)) : [];
  const archived = wanted.length === 0 ? undefined : draft.archivedWith(card_id)?.content.card;
  return [id, card_id, ...wanted.filter((label) => archived?.label_ids.includes(label))];
}

function tooMuch(): AppError {
  return cannotUndo('Too much has changed since');
}

/** The fields of a fact that a later one changed too. */
function touchedBy({ kind, details }: UndoneFact, later: UndoneFact): readonly string[] {
  const { id } = details;
  if (kind.endsWith('.created') && (later.details.id === id || later.card_id === id)) return [later.kind];
  if (later.details.id !== id) return [];
  if (isArchiving(kind) && isArchiving(later.kind)) return [later.kind];
  if (later.kind.endsWith('.deleted') || later.kind.endsWith('.created')) return [later.kind];
  return fieldsOf(details).filter((field) => isTouched(field, details, later.details));
}

function isArchiving(kind: string): boolean {
  return kind.endsWith('.archived') || kind.endsWith('.restored');
}

function isTouched(field: string, one: FactDetails, other: FactDetails): boolean {
  if (!fieldsOf(other).includes(field)) return false;
  const [own, others] = [elementsOf(field, one), elementsOf(field, other)];
  return own === null || others === null || own.some((element) => others.includes(element));
}

/** Of a list what came and went; null of anything else. */
function elementsOf(field: string, { before, after }: FactDetails): readonly string[] | null {
  const lists = [before, after].map((fields: FactFields | undefined) => fields?.[field]).filter((value) => Array.isArray(value));
  return lists.length === 0 ? null : lists.flat();
}

function fieldsOf({ before = {}, after = {}, omitted = [] }: FactDetails): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after), ...omitted])];
}

function whoDid(draft: Draft, { user_id, details: { by_rule } }: UndoneFact): string {
  if (by_rule !== undefined) return `The rule "${by_rule.name}"`;
  return user_id === null ? 'The service' : usernameOf(draft, user_id);
}

function usernameOf(draft: Draft, user: Uuid): string {
  return draft.get('member', user)?.user.username ?? draft.activityOnDisk.formerName(user) ?? deletedUser(user).username;
}

function nameOf({ kind, details: { name, card_title } }: UndoneFact): string {
  return name === undefined ? `something (${kind})` : `"${name}"${card_title === undefined ? '' : ` on "${card_title}"`}`;
}
