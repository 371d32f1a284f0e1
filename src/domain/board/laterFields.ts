/**
 * Fields that came with a later schema of a shard's file. A program that knows only an older one would drop them from its
 * copy, so they stay empty while such a program runs.
 */
import { AppError } from '../errors.js';
import { isRestricted, type Change, type Entities, type Kind, type Role } from '../model.js';

/** The schema with which members got reminders of their own. */
const OWN_REMINDERS = 29;

/** The schema with which cards could move to other boards. */
const MOVES = 28;

/** The schema with which deleted boards could be restored. */
const TRASHED_BOARDS = 27;

/** The schema with which came the files of comments. */
const COMMENT_FILES = 26;

/** The schema with which came what users watch. */
const WATCHES = 25;

/** The schema with which the versions of texts came. */
const VERSIONS = 24;

/** The schema with which reminders of cards came, and the timers of shards. */
export const REMINDERS = 23;

/** The schema with which came who made what with a key. */
const KEYED_CREATES = 22;

/** The schema with which the trash came. */
export const TRASH = 21;

/** The schema with which numbers and covers of cards came, and attachments that are links. */
export const CARD_NUMBERS = 19;

/** The schema with which the activity of boards came. */
export const ACTIVITY = 18;

/** The schema with which the archive came. */
export const ARCHIVE = 17;

/** The schema with which the roles came that change nothing. An older program takes who has one for a member. */
const RESTRICTED_ROLES = 16;

/** The schema with which comments came. */
const COMMENTS = 15;

/** The schema with which dates came. */
const DATES = 14;

/** The schema with which colours, icons and stars of boards came. */
const LOOKS = 13;

const LATER: { readonly [K in Kind]?: { readonly [Field in keyof Entities[K]]?: number } } = {
  board: { color: LOOKS, icon: LOOKS, archived: ARCHIVE },
  member: { is_starred: LOOKS, assignable_since: ARCHIVE, reminder_minutes: OWN_REMINDERS },
  card: {
    start_at: DATES,
    due_at: DATES,
    completed_at: DATES,
    comment_count: COMMENTS,
    number: CARD_NUMBERS,
    cover: CARD_NUMBERS,
    reminder_minutes: REMINDERS,
    text_edits: VERSIONS,
  },
  item: { due_at: DATES },
  attachment: { url: CARD_NUMBERS, comment_id: COMMENT_FILES },
  comment: { id: COMMENTS },
  archived: { id: ARCHIVE },
  version: { id: VERSIONS },
  watch: { id: WATCHES },
  moved: { id: MOVES },
  trashed: { id: TRASH },
};

export function keepsRole(role: Role, schema: number): boolean {
  return schema >= RESTRICTED_ROLES || !isRestricted(role);
}

export function keepsArchive(schema: number): boolean {
  return schema >= ARCHIVE;
}

/** Absent: no older program runs. */
export function keepsCreates(schema: number | undefined): boolean {
  return schema === undefined || schema >= KEYED_CREATES;
}

/** Absent: no older program runs. */
export function keepsVersions(schema: number | undefined): boolean {
  return schema === undefined || schema >= VERSIONS;
}

/** Absent: no older program runs. */
export function keepsWatches(schema: number | undefined): boolean {
  return schema === undefined || schema >= WATCHES;
}

/** Absent: no older program runs. */
export function keepsTrash(schema: number | undefined): boolean {
  return schema === undefined || schema >= TRASH;
}

/** Absent: no older program runs. */
export function keepsTrashedBoards(schema: number | undefined): boolean {
  return schema === undefined || schema >= TRASHED_BOARDS;
}

export function keepsActivity(schema: number): boolean {
  return schema >= ACTIVITY;
}

/** Absent: no older program runs. */
export function keepsNumbers(schema: number | undefined): boolean {
  return schema === undefined || schema >= CARD_NUMBERS;
}

export function keepsDates(schema: number): boolean {
  return schema >= DATES;
}

/** The rows of an import without numbers, if a program runs that would not keep them: the cards are numbered later. */
export function keptFields(changes: readonly Change[], schema: number | undefined): readonly Change[] {
  if (keepsNumbers(schema)) return changes;
  return changes.map((change) => (change.kind === 'card' && 'put' in change ? { kind: 'card', put: { ...change.put, number: null } } : change));
}

/** The refusal of a record with something that a program with this schema does not keep; null if it keeps all. */
export function refusalOf(kind: Kind, record: Entities[Kind], schema: number): AppError | null {
  const values = record as object as Readonly<Record<string, unknown>>;
  const isLost = Object.entries(LATER[kind] ?? {}).some(([field, since]) => since > schema && !isEmpty(values[field], field));
  return isLost || ('role' in record && !keepsRole(record.role, schema)) ? olderRuns() : null;
}

export function olderRuns(): AppError {
  return new AppError('unavailable', 'An older version of the service is still running. Try again.');
}

/** A count of nothing is empty. A reminder at the very time is not. */
function isEmpty(value: unknown, field: string): boolean {
  return value === null || value === undefined || value === false || (value === 0 && field !== 'reminder_minutes');
}
