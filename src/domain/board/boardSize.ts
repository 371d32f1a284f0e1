/**
 * The size of a board: its records by kind, and the bytes of its JSON as `GET` returns it. Updated record by record, so
 * a command costs as much as it changes. The bytes are an upper estimate within a few per cent: cards repeat their
 * labels and assignees in full, so each label and member counts once more for every card and item that shows it.
 */
import type { Uuid } from '../ids.js';
import { HELD_KINDS, type ArchivedTotals, type Entities, type HeldKind, type Kind, type Timestamps } from '../model.js';
import { MAX_NUMBER } from './order/numbering.js';
import { MAX_REMINDER_MINUTES } from '../content/reminderMinutes.js';
import { RANK_LIMIT } from './order/rank.js';
import { toPublicUser } from '../account/user.js';
import { OWN_FIELDS } from './wireFields.js';

/** A label or member: the number of cards and items that show it, and the bytes of each showing. */
interface Shown {
  readonly references: number;
  readonly bytes: number;
}

type Counts = { [K in HeldKind]: number };

const NOT_SHOWN: Shown = { references: 0, bytes: 0 };
const NO_IDS: readonly Uuid[] = [];
const NO_TEXTS: readonly string[] = [];

export class BoardSize {
  readonly #base: BoardSize | null;
  readonly #weighed: WeighedTexts;
  readonly #counts: Counts;
  #ownBytes: number;
  #referenceBytes: number;
  #attachmentBytes: number;
  #commentBytes: number;
  #archived: ArchivedTotals | null;
  /** For ids whose entry differs from the base; undefined until there is one. */
  #shown: Map<Uuid, Shown> | undefined;

  /** Empty, or an overlay that leaves its base unchanged. `weigh`: the JSON bytes of a text, for tests. */
  constructor(base: BoardSize | null = null, weigh: (text: string) => number = jsonBytes) {
    this.#base = base;
    this.#weighed = base === null ? new WeighedTexts(weigh) : base.#weighed;
    this.#counts = base === null ? noCounts() : { ...base.#counts };
    this.#ownBytes = base === null ? 0 : base.#ownBytes;
    this.#referenceBytes = base === null ? 0 : base.#referenceBytes;
    this.#attachmentBytes = base === null ? 0 : base.#attachmentBytes;
    this.#commentBytes = base === null ? 0 : base.#commentBytes;
    this.#archived = base === null ? null : base.#archived;
  }

  count(kind: HeldKind): number {
    return this.#counts[kind];
  }

  /** Bytes of the JSON of the whole board, including rules. */
  get bytes(): number {
    return this.#ownBytes + this.#referenceBytes;
  }

  /** The part of `bytes` that repeats labels and members. */
  get referenceBytes(): number {
    return this.#referenceBytes;
  }

  /** Bytes of the files, which are not in the JSON. */
  get attachmentBytes(): number {
    return this.#attachmentBytes;
  }

  /** Bytes of the comments, which are on disk. */
  get commentBytes(): number {
    return this.#commentBytes;
  }

  /** What is in the archive, apart from all of the above; null if nothing is. */
  get archived(): ArchivedTotals | null {
    return this.#archived;
  }

  /** The number of cards and items that show a label or member. */
  references(id: Uuid): number {
    return this.#shownOf(id).references;
  }

  /** One record was added, changed or removed. The order of calls does not matter. */
  replace<K extends HeldKind>(kind: K, before: Entities[K] | undefined, after: Entities[K] | undefined): void {
    if (before === undefined) this.#counts[kind] += 1;
    if (after === undefined) this.#counts[kind] -= 1;
    const grown = ownBytes(kind, after, before, this.#weighed);
    this.#ownBytes += grown;
    this.#attachmentBytes += fileBytes(after) - fileBytes(before);
    this.#commentBytes += commentBytes(after) - commentBytes(before);
    if (kind === 'board') this.#archived = (after as Entities['board'] | undefined)?.archived ?? null;
    if (isShown(kind)) this.#growShown((after ?? before)?.id ?? '', grown, UNSHOWN_BYTES[kind], before, after);
    this.#countReferences(labelsOf(before), labelsOf(after));
    this.#countReferences(assigneesOf(before), assigneesOf(after));
  }

  #countReferences(before: readonly Uuid[], after: readonly Uuid[]): void {
    // A record that changed otherwise keeps the same list object.
    if (before === after) return;
    for (const id of before) this.#addReference(id, -1);
    for (const id of after) this.#addReference(id, 1);
  }

  #addReference(id: Uuid, by: 1 | -1): void {
    const { references, bytes } = this.#shownOf(id);
    this.#setShown(id, { references: references + by, bytes });
    this.#referenceBytes += by * bytes;
  }

  /** An existing label or member is shown in full except for `unshown` bytes; a missing one takes none. */
  #growShown(id: Uuid, grown: number, unshown: number, before: object | undefined, after: object | undefined): void {
    const by = grown - (before === undefined ? unshown : 0) + (after === undefined ? unshown : 0);
    if (by === 0) return;
    const { references, bytes } = this.#shownOf(id);
    this.#setShown(id, { references, bytes: bytes + by });
    this.#referenceBytes += references * by;
  }

  #shownOf(id: Uuid): Shown {
    return this.#shown?.get(id) ?? (this.#base === null ? NOT_SHOWN : this.#base.#shownOf(id));
  }

  #setShown(id: Uuid, shown: Shown): void {
    this.#shown ??= new Map();
    // Without a base, an empty entry is not needed.
    if (this.#base === null && shown.references === 0 && shown.bytes === 0) this.#shown.delete(id);
    else this.#shown.set(id, shown);
  }
}

/** From this length on a text is weighed once. Longer than any title in UTF-16, so a record has one such text. */
const REMEMBERED_TEXT = 1_024;

/**
 * The weights of the long texts of records. A change weighs its new text for the limits and again when it is applied,
 * and the old text both times: of 10 KB each, that took a fifth of the thread. Records never change, so a weight is
 * right as long as its record lives.
 */
class WeighedTexts {
  readonly #weigh: (text: string) => number;
  readonly #known = new WeakMap<object, { readonly text: string; readonly bytes: number }>();

  constructor(weigh: (text: string) => number) {
    this.#weigh = weigh;
  }

  bytesOf(record: object, text: string): number {
    if (text.length < REMEMBERED_TEXT) return this.#weigh(text);
    const known = this.#known.get(record);
    if (known?.text === text) return known.bytes;
    const bytes = this.#weigh(text);
    this.#known.set(record, { text, bytes });
    return bytes;
  }

  /** The text is the same in both records. */
  keep(text: string, from: object, to: object): void {
    if (text.length < REMEMBERED_TEXT) return;
    const known = this.#known.get(from);
    if (known?.text === text) this.#known.set(to, known);
  }
}

/** The texts of a record: the only parts whose length varies. */
type Texts = { readonly [K in HeldKind]: (record: TextsOf<K>) => readonly (string | null)[] };

/** The fields of a record that contain its texts. */
export type TextsOf<K extends HeldKind> = Pick<Entities[K], TextField<K> | Extract<keyof Entities[K], 'user' | 'cover'>>;
type TextField<K extends HeldKind> = {
  [Field in keyof Entities[K]]: Entities[K][Field] extends string | null ? Exclude<Field, NoText> : never;
}[keyof Entities[K]];
/** Ids, times and words of ours: `frameBytes` counts them at their longest. */
type NoText = 'id' | `${string}_id` | `${string}_by` | keyof Timestamps | 'role' | 'trigger_type' | 'action_type';

const TEXTS: Texts = {
  board: ({ title, description, color, icon }) => [title, description, color, icon],
  member: ({ user }) => userTexts(user),
  column: ({ title, color }) => [title, color],
  card: ({ title, description, start_at, due_at, completed_at, cover }) => [title, description, start_at, due_at, completed_at, coverText(cover)],
  label: ({ name, color }) => [name, color],
  checklist: ({ title }) => [title],
  item: ({ content, due_at }) => [content, due_at],
  attachment: ({ name, mime_type, url }) => [name, mime_type, url],
  rule: ({ name }) => [name],
};

/** Without a cover the frame has all. */
function coverText(cover: Entities['card']['cover']): string {
  return cover === null ? '' : JSON.stringify(cover);
}

function userTexts({ email, username, firstname, lastname }: Entities['member']['user']): readonly (string | null)[] {
  return [email, username, firstname, lastname];
}

const FRAME_BYTES = frameBytes();
/** Bytes of a record that cards do not show: of a member they show the user only. */
const UNSHOWN_BYTES = { label: 0, member: FRAME_BYTES.member - userFrameBytes() };

/**
 * The bytes that a record adds to the JSON of its board, without the labels and users that it references; with a second
 * record, the difference between both. Equal texts are skipped.
 */
export function ownBytes<K extends HeldKind>(
  kind: K,
  record: TextsOf<K> | undefined,
  other?: TextsOf<K>,
  weighed: WeighedTexts | null = null,
): number {
  const frames = (record === undefined ? 0 : 1) - (other === undefined ? 0 : 1);
  const texts = record === undefined ? NO_TEXTS : TEXTS[kind](record);
  const others = other === undefined ? NO_TEXTS : TEXTS[kind](other);
  let bytes = frames * FRAME_BYTES[kind];
  for (let index = 0; index < Math.max(texts.length, others.length); index++) {
    const [text, before] = [texts[index], others[index]];
    if (text !== before) bytes += textBytes(text, record, weighed) - textBytes(before, other, weighed);
    else if (typeof text === 'string' && record !== undefined && other !== undefined) weighed?.keep(text, other, record);
  }
  return bytes;
}

function textBytes(text: string | null | undefined, record: object | undefined, weighed: WeighedTexts | null): number {
  if (text === undefined) return 0;
  return text === null || record === undefined || weighed === null ? jsonBytes(text) : weighed.bytesOf(record, text);
}

function isShown(kind: HeldKind): kind is 'label' | 'member' {
  return kind === 'label' || kind === 'member';
}

/** The bytes that a label or member adds to each card or item that shows it. */
export function shownBytes<K extends 'label' | 'member'>(kind: K, record: TextsOf<K>): number {
  return ownBytes(kind, record) - UNSHOWN_BYTES[kind];
}

/** Without the quotes, which are part of the frame. */
const NULL_BYTES = 'null'.length - '""'.length;

/** From this length on a search for escapes and the engine's own count are faster than a loop. */
const LONG_TEXT = 256;
const ESCAPED = /["\\\u0000-\u001f]/;

/** The JSON length of every ASCII character. */
const ASCII_BYTES = Uint8Array.from({ length: 0x80 }, (_, code) => JSON.stringify(String.fromCharCode(code)).length - 2);

/** The UTF-8 length of a text between its JSON quotes. */
export function jsonBytes(text: string | null): number {
  if (text === null) return NULL_BYTES;
  if (text.length >= LONG_TEXT && !ESCAPED.test(text)) return Buffer.byteLength(text);
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // Each half of a surrogate pair counts as two of its four bytes.
    bytes += code < 0x80 ? (ASCII_BYTES[code] ?? 0) : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return bytes;
}

/** The JSON of records without their texts, at its longest. */
function frameBytes(): Counts {
  const uuid = '0'.repeat(36);
  const time = '+275760-09-13T00:00:00.000Z';
  const times = { created_at: time, updated_at: time };
  const marks = { ...times, created_by: uuid, updated_by: uuid };
  const dates = { start_at: '', due_at: '', completed_at: '' };
  const [id, rank] = [uuid, -RANK_LIMIT];
  const user = emptyUser(uuid);
  // The bytes of a card's comments are bounded, and so is their number.
  const counts = {
    number: MAX_NUMBER,
    reminder_minutes: MAX_REMINDER_MINUTES,
    cover: null,
    comment_count: 99_999,
    comment_bytes: 0,
    text_edits: 999_999,
  };
  const own: { readonly [K in HeldKind]: Entities[K] } = {
    board: { id, title: '', description: '', color: '', icon: '', archived: null, ...marks },
    member: { id, role: 'commenter', user, is_starred: false, assignable_since: 0, reminder_minutes: MAX_REMINDER_MINUTES, ...times },
    column: { id, title: '', rank, color: '', is_done_column: false, ...marks },
    card: { id, column_id: uuid, title: '', description: '', rank, label_ids: [], assignee_ids: [], ...counts, ...dates, ...marks },
    label: { id, name: '', color: '', ...times },
    checklist: { id, card_id: uuid, title: '', rank, ...times },
    item: { id, checklist_id: uuid, content: '', is_done: false, due_at: '', rank, assignee_ids: [], ...times },
    attachment: { id, card_id: uuid, name: '', mime_type: '', size: Number.MAX_SAFE_INTEGER, digest: null, url: '', comment_id: uuid, ...times },
    rule: {
      id,
      name: '',
      is_enabled: false,
      ...times,
      trigger_type: 'CARD_CREATED',
      trigger_column_id: uuid,
      trigger_label_id: uuid,
      action_type: 'MOVE_TO_COLUMN',
      action_column_id: uuid,
      action_user_id: uuid,
    },
  };
  const derived: { readonly [K in HeldKind]: string } = {
    board: ',"labels":[],"members":[],"columns":[],"role":"commenter"',
    member: `,"user":${JSON.stringify(toPublicUser(user))}`,
    column: ',"archived_at":null,"cards":[]',
    card: ',"archived_at":null,"labels":[],"assignees":[],"checklists":[],"attachments":[]',
    label: '',
    checklist: ',"items":[]',
    item: ',"assignees":[]',
    attachment: '',
    rule: '',
  };
  const bytes = noCounts();
  const measure = <K extends HeldKind>(kind: K): void => {
    bytes[kind] = JSON.stringify(OWN_FIELDS[kind](own[kind] as Entities[K], uuid)).length + derived[kind].length + ','.length;
  };
  for (const kind of HELD_KINDS) measure(kind);
  return bytes;
}

function userFrameBytes(): number {
  return JSON.stringify(toPublicUser(emptyUser('0'.repeat(36)))).length + ','.length;
}

function emptyUser(id: Uuid): Entities['member']['user'] {
  const flags = { is_active: false, is_verified: false, is_superuser: false };
  return { id, email: '', username: '', firstname: '', lastname: '', ...flags };
}

function noCounts(): Counts {
  return { board: 0, member: 0, column: 0, card: 0, label: 0, checklist: 0, item: 0, attachment: 0, rule: 0 };
}

function labelsOf(record: Entities[Kind] | undefined): readonly Uuid[] {
  return record !== undefined && 'label_ids' in record ? record.label_ids : NO_IDS;
}

function assigneesOf(record: Entities[Kind] | undefined): readonly Uuid[] {
  return record !== undefined && 'assignee_ids' in record ? record.assignee_ids : NO_IDS;
}

function commentBytes(record: Entities[Kind] | undefined): number {
  return record !== undefined && 'comment_bytes' in record ? record.comment_bytes : 0;
}

function fileBytes(record: Entities[Kind] | undefined): number {
  return record !== undefined && 'mime_type' in record ? record.size : 0;
}
