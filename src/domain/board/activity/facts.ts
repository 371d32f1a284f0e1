/**
 * What a board's activity says of a change: whom or what it concerned, and the changed fields before and after it. Facts are
 * recorded beside the events of a command, on disk alone, see `activityOnDisk.ts`.
 */
import { isDeletedUser } from '../../account/user.js';
import type { EventType } from '../../events.js';
import type { Uuid } from '../../ids.js';
import type { Archived, Card, Column, Cover, Entities, Kind, Member, Rule } from '../../model.js';
import { CHILD_KINDS } from '../structure.js';
import { list, type BoardView } from '../view.js';

/** A command's draft. */
interface DraftView extends BoardView {
  /** The number of the board before the command. */
  readonly seq: number;
  readonly size: { references(id: Uuid): number };
}

/** One change. `json` has the other fields, as an object. */
export interface Fact {
  /** The number of its event. */
  readonly seq: number;
  readonly kind: EventType;
  /** Null if a rule or the service acted. */
  readonly user_id: Uuid | null;
  readonly card_id: Uuid | null;
  readonly json: string;
}

/** The name of someone who left the board; null if it must be shown no more. */
export interface FormerMember {
  readonly user_id: Uuid;
  readonly username: string | null;
}

/** What a command adds to the activity of its board. */
export interface Activity {
  /** The number of the command's first event. */
  readonly first: number;
  readonly facts: readonly Fact[];
  readonly former: readonly FormerMember[];
}

/** Longer texts are named, not repeated. */
export const MAX_FACT_TEXT = 2_048;
/** Longer lists of people or labels are named as well. */
const MAX_FACT_LIST = 100;
/** Of an item, whose content is its name. */
const MAX_NAME = 255;

export type FactValue = string | number | boolean | null | readonly string[] | Cover;
export type FactFields = Readonly<Record<string, FactValue>>;

/** The part of a fact that is stored as JSON. */
export interface FactDetails {
  /** Of what was changed; of a member the user's id. */
  readonly id: Uuid;
  /** What it is called after the change. Absent of members, whose names are kept elsewhere, and of comments. */
  readonly name?: string;
  /** Of something on a card. */
  readonly card_title?: string;
  /** Lists have the removed elements here, and the added ones in `after`. */
  readonly before?: FactFields;
  readonly after?: FactFields;
  /** Fields that are too long, or what went with a removed record. */
  readonly omitted?: readonly string[];
  readonly by_rule?: { readonly id: Uuid; readonly name: string };
  /** The first number of the command that was taken back. */
  readonly undoes?: number;
  /** The card came from another board, or went there. */
  readonly moved?: true;
}

type ChangedFields = Pick<FactDetails, 'before' | 'after' | 'omitted'>;
/** All must be given, so that none is forgotten. */
type Further = { readonly [Name in Exclude<keyof FactDetails, 'id'>]-?: FactDetails[Name] | undefined };

/** What an event is about: the record after a change, or the last one before a removal. */
export type About = { [K in Kind]: { readonly kind: K; readonly record: Entities[K]; readonly was?: Was } }[Kind];

/** Of what was restored, how it was archived; of what was archived for another place than it had, how it was on the board. */
export type Was = Archived | Card | Column;

/** The fields of a record that users change. */
const FIELDS: { readonly [K in Kind]: ReadonlyArray<keyof Entities[K] & string> } = {
  board: ['title', 'description', 'color', 'icon'],
  member: ['role'],
  column: ['title', 'color', 'is_done_column', 'rank'],
  card: ['title', 'description', 'start_at', 'due_at', 'completed_at', 'reminder_minutes', 'cover', 'column_id', 'rank', 'label_ids', 'assignee_ids'],
  label: ['name', 'color'],
  checklist: ['title', 'card_id', 'rank'],
  item: ['content', 'is_done', 'due_at', 'checklist_id', 'rank', 'assignee_ids'],
  attachment: ['name', 'size'],
  rule: ['name', 'trigger_type', 'trigger_column_id', 'trigger_label_id', 'action_type', 'action_column_id', 'action_user_id', 'is_enabled'],
  // A comment that is deleted must be gone.
  comment: [],
  version: [],
  watch: [],
  moved: [],
  archived: [],
  trashed: [],
};

/** What the archive keeps of where something was. */
const PLACE = ['column_id', 'rank', 'completed_at'];

/** What the facts of a creation show: the rest can be read. */
const CREATED: { readonly [K in Kind]?: readonly string[] } = {
  column: ['title'],
  card: ['title', 'column_id'],
  checklist: ['title'],
  item: ['content', 'checklist_id'],
};

/** So that what was removed can be made again as it was. */
const REMOVED = ['number', 'created_at', 'updated_at', 'created_by', 'updated_by'];

/** Collects the facts of one command. */
export class ActivityRecorder {
  readonly #draft: DraftView;
  readonly #board: BoardView;
  readonly #facts: Fact[] = [];
  readonly #former: FormerMember[] = [];
  /** The records that earlier facts of the command showed. */
  readonly #told = new Map<Uuid, object>();
  /** The rule that acts now. */
  rule: Rule | null = null;
  /** Of the command that this one takes back. */
  undoes: number | null = null;
  /** Whether the card comes from another board, or goes there. */
  isMove = false;

  constructor(draft: DraftView, board: BoardView) {
    this.#draft = draft;
    this.#board = board;
  }

  activity(first: number): Activity {
    return { first, facts: this.#facts, former: this.#former };
  }

  note(seq: number, type: EventType, about: About, caller: Uuid | null): void {
    const { kind, record } = about;
    const isRemoved = type.endsWith('.deleted') || type === 'board.member_removed';
    const fields: ChangedFields | null =
      kind === 'comment' ? {} : kind === 'archived' ? this.#archiving(record, about.was, isRemoved) : this.#fields(about, isRemoved);
    if (fields === null) return;
    if (kind === 'member' && isRemoved) this.noteFormer(record.id, record.user);
    const card = this.#cardOf(about);
    const json = factJson(record.id, {
      name: nameOf(about),
      card_title: card === undefined || card.id === record.id ? undefined : card.title,
      before: fields.before,
      after: fields.after,
      omitted: fields.omitted,
      by_rule: this.rule === null ? undefined : { id: this.rule.id, name: this.rule.name },
      undoes: this.undoes ?? undefined,
      moved: this.isMove ? true : undefined,
    });
    this.#facts.push({ seq, kind: type, user_id: caller, card_id: card?.id ?? null, json });
  }

  noteFormer(user_id: Uuid, user: Member['user'] | null): void {
    this.#former.push({ user_id, username: user === null || isDeletedUser(user) ? null : user.username });
  }

  /** Null if nothing changed. */
  #fields(about: About, isRemoved: boolean): ChangedFields | null {
    const { kind, record } = about;
    const shown = this.#told.get(record.id) ?? this.#board.get(kind, record.id);
    this.#told.set(record.id, record);
    if (isRemoved) return this.#removal(about);
    if (about.was !== undefined || shown === undefined) this.#tellBelow(kind, record.id);
    if (about.was !== undefined) return this.#restoring(about, about.was);
    return shown === undefined ? creation(about) : this.#difference(FIELDS[kind], shown, record);
  }

  /** What comes onto the board with something has no fact of its own: later ones of the command differ from this. */
  #tellBelow(kind: Kind, id: Uuid): void {
    if (kind === 'board') return;
    for (const child of CHILD_KINDS[kind]) {
      for (const record of list(this.#draft, child, id)) {
        this.#told.set(record.id, record);
        this.#tellBelow(child, record.id);
      }
    }
  }

  /** What was restored from the trash to the archive has no `before`. */
  #archiving(row: Archived, was: Was | undefined, isRemoved: boolean): ChangedFields {
    // What is in the archive can be read there.
    if (isRemoved) return some(['content']);
    const { id, archived_at, seq } = row;
    if (seq !== this.#draft.seq) return { after: { archived_at } };
    const { before, after } = this.#placeChange(was, row);
    return { before: { archived_at: null, ...before }, after: { archived_at, ...after }, ...some(this.#isInRule(id) ? ['rules'] : []) };
  }

  #restoring(about: About, was: Was): ChangedFields {
    const { before, after } = this.#placeChange(was, about.record as Card | Column);
    const archived_at = 'archived_at' in was ? was.archived_at : null;
    const lost = lostLabels(contentOf(was), about.record as Card | Column);
    const label_ids = lost.length === 0 ? {} : { label_ids: lost };
    return { before: { archived_at, ...before, ...label_ids }, after: { archived_at: null, ...creation(about).after, ...after } };
  }

  #placeChange(was: Was | undefined, is: Was): ChangedFields {
    return was === undefined ? {} : (this.#difference(PLACE, contentOf(was), contentOf(is)) ?? {});
  }

  /** Null if the records are equal in these fields. */
  #difference(fields: readonly string[], shown: object, record: object): ChangedFields | null {
    const [old, current] = [shown as Values, record as Values];
    const before: Record<string, FactValue> = {};
    const after: Record<string, FactValue> = {};
    const omitted: string[] = [];
    let isEqual = true;
    for (const field of fields) {
      const [was, is] = [old[field], current[field]];
      if (was === undefined || is === undefined || isSame(was, is)) continue;
      const [removed, added] = isList(was) && isList(is) ? this.#changed(field, was, is) : [was, is];
      if (isEmptyList(removed) && isEmptyList(added)) continue;
      isEqual = false;
      if (isLong(removed) || isLong(added)) {
        omitted.push(field);
        continue;
      }
      if (!isEmptyList(removed)) before[field] = removed;
      if (!isEmptyList(added)) after[field] = added;
    }
    return isEqual ? null : { before, after, ...some(omitted) };
  }

  /** A label that was deleted went from its cards with it. */
  #changed(field: string, was: readonly string[], is: readonly string[]): [removed: readonly string[], added: readonly string[]] {
    return changed(field === 'label_ids' ? was.filter((id) => this.#draft.get('label', id) !== undefined) : was, is);
  }

  #cardOf({ kind, record }: About): Card | undefined {
    switch (kind) {
      case 'card':
        return record;
      case 'archived':
        return record.content.card;
      case 'checklist':
      case 'attachment':
      case 'comment':
        return this.#draft.get('card', record.card_id);
      case 'item': {
        const checklist = this.#draft.get('checklist', record.checklist_id);
        return checklist && this.#draft.get('card', checklist.card_id);
      }
      default:
        return undefined;
    }
  }

  #removal({ kind, record }: About): Pick<FactDetails, 'before' | 'omitted'> {
    const [before, omitted] = taken(record, [...FIELDS[kind], ...(kind === 'member' ? [] : REMOVED)]);
    return { before, ...some([...omitted, ...this.#lostWith(kind, record)]) };
  }

  /** Names what goes with a record and is not part of it. */
  #lostWith(kind: Kind, record: Entities[Kind]): string[] {
    const lost = CHILD_KINDS[kind].filter((child) => this.#draft.children(child, record.id).size > 0).map((child) => `${child}s`);
    if ('comment_count' in record && record.comment_count > 0) lost.push('comments');
    if (kind === 'label' && this.#draft.size.references(record.id) > 0) lost.push('cards');
    if (kind === 'attachment') lost.push('content');
    if (kind !== 'column' && kind !== 'label') return lost;
    return this.#isInRule(record.id) ? [...lost, 'rules'] : lost;
  }

  #isInRule(id: Uuid): boolean {
    return list(this.#draft, 'rule', this.#draft.id).some((rule) =>
      [rule.trigger_column_id, rule.trigger_label_id, rule.action_column_id].includes(id),
    );
  }
}

function contentOf(was: Was): Partial<Card> {
  return 'archived_kind' in was ? (was.content.card ?? was.content.column ?? {}) : was;
}

/** Those that were deleted while the card was in the archive. */
function lostLabels(was: Partial<Card>, is: Partial<Card>): readonly string[] {
  return changed(was.label_ids ?? [], is.label_ids ?? [])[0];
}

function creation({ kind, record }: About): Pick<FactDetails, 'after' | 'omitted'> {
  const [after, omitted] = taken(record, CREATED[kind] ?? FIELDS[kind]);
  return { ...(Object.keys(after).length === 0 ? {} : { after }), ...some(omitted) };
}

type Values = Readonly<Record<string, FactValue | undefined>>;

function changed(was: readonly string[], is: readonly string[]): [removed: readonly string[], added: readonly string[]] {
  const [old, current] = [new Set(was), new Set(is)];
  return [was.filter((id) => !current.has(id)), is.filter((id) => !old.has(id))];
}

function taken(record: object, fields: readonly string[]): [values: FactFields, omitted: readonly string[]] {
  const values: Record<string, FactValue> = {};
  const omitted: string[] = [];
  for (const field of fields) {
    const value = (record as Values)[field];
    if (value === undefined) continue;
    if (isLong(value)) omitted.push(field);
    else values[field] = value;
  }
  return [values, omitted];
}

function isLong(value: FactValue): boolean {
  if (typeof value === 'string') return value.length > MAX_FACT_TEXT;
  return isList(value) && value.length > MAX_FACT_LIST;
}

function isEmptyList(value: FactValue): boolean {
  return isList(value) && value.length === 0;
}

function isList(value: FactValue): value is readonly string[] {
  return Array.isArray(value);
}

/** Covers are objects of one field. */
function isSame(was: FactValue, is: FactValue): boolean {
  return was === is || (typeof was === 'object' && !isList(was) && JSON.stringify(was) === JSON.stringify(is));
}

function some(omitted: readonly string[]): Pick<FactDetails, 'omitted'> {
  return omitted.length === 0 ? {} : { omitted };
}

/** The JSON of `FactDetails`. Each change has one, and the engine takes three times as long for the whole object. */
function factJson(id: Uuid, further: Further): string {
  let json = `{"id":"${id}"`;
  for (const name in further) {
    const value = further[name as keyof Further];
    if (value !== undefined) json += `,"${name}":${JSON.stringify(value)}`;
  }
  return `${json}}`;
}

function nameOf({ kind, record }: About): string | undefined {
  switch (kind) {
    case 'board':
    case 'column':
    case 'card':
    case 'checklist':
      return record.title;
    case 'archived':
      return (record.content.card ?? record.content.column)?.title ?? '';
    case 'label':
    case 'attachment':
    case 'rule':
      return record.name;
    case 'item':
      return record.content.slice(0, MAX_NAME);
    default:
      return undefined;
  }
}
