/**
 * How large a board is: its records by kind, and the bytes of its JSON as GET answers it. Kept up to date record by
 * record, so that a command costs as much as it changes. The bytes are an estimate from above, a few per cent off:
 * cards repeat their labels and assignees in full, so each label and each member counts once more for every card and
 * item that shows it.
 */
import type { Uuid } from './ids.js';
import { KINDS, type Entities, type Kind } from './model.js';
import { RANK_LIMIT } from './rank.js';
import { toPublicUser } from './user.js';
import { OWN_FIELDS } from './wireFields.js';

/** A label or member: how many cards and items show it, and the bytes that each showing takes. */
interface Shown {
  readonly references: number;
  readonly bytes: number;
}

type Counts = { [K in Kind]: number };

const NOT_SHOWN: Shown = { references: 0, bytes: 0 };
const NO_IDS: readonly Uuid[] = [];

export class BoardSize {
  readonly #base: BoardSize | null;
  readonly #counts: Counts;
  #ownBytes: number;
  #referenceBytes: number;
  #attachmentBytes: number;
  /** Of the ids whose entry differs from the base's; undefined until there is one. */
  #shown: Map<Uuid, Shown> | undefined;

  /** Empty, or an overlay: what is added to it leaves the base as it was. */
  constructor(base: BoardSize | null = null) {
    this.#base = base;
    this.#counts = base === null ? noCounts() : { ...base.#counts };
    this.#ownBytes = base === null ? 0 : base.#ownBytes;
    this.#referenceBytes = base === null ? 0 : base.#referenceBytes;
    this.#attachmentBytes = base === null ? 0 : base.#attachmentBytes;
  }

  count(kind: Kind): number {
    return this.#counts[kind];
  }

  /** Of the JSON of the whole board, rules included. */
  get bytes(): number {
    return this.#ownBytes + this.#referenceBytes;
  }

  /** The part of `bytes` that repeats labels and members. */
  get referenceBytes(): number {
    return this.#referenceBytes;
  }

  /** Of the files themselves, which are not in the JSON. */
  get attachmentBytes(): number {
    return this.#attachmentBytes;
  }

  /** On how many cards and items a label or member is shown. */
  references(id: Uuid): number {
    return this.#shownOf(id).references;
  }

  /** One record came, changed or went. The order in which records are counted makes no difference. */
  replace<K extends Kind>(kind: K, before: Entities[K] | undefined, after: Entities[K] | undefined): void {
    if (before === undefined) this.#counts[kind] += 1;
    if (after === undefined) this.#counts[kind] -= 1;
    this.#ownBytes += ownBytes(kind, after) - ownBytes(kind, before);
    this.#attachmentBytes += fileBytes(after) - fileBytes(before);
    if (kind === 'label' || kind === 'member') {
      const id = (after ?? before)?.id;
      if (id !== undefined) this.#setShownBytes(id, shownBytes(kind, after));
    }
    this.#countReferences(labelsOf(before), labelsOf(after));
    this.#countReferences(assigneesOf(before), assigneesOf(after));
  }

  #countReferences(before: readonly Uuid[], after: readonly Uuid[]): void {
    // A record that changed otherwise keeps its very list.
    if (before === after) return;
    for (const id of before) this.#addReference(id, -1);
    for (const id of after) this.#addReference(id, 1);
  }

  #addReference(id: Uuid, by: 1 | -1): void {
    const { references, bytes } = this.#shownOf(id);
    this.#setShown(id, { references: references + by, bytes });
    this.#referenceBytes += by * bytes;
  }

  #setShownBytes(id: Uuid, bytes: number): void {
    const { references, bytes: bytesBefore } = this.#shownOf(id);
    if (bytes === bytesBefore) return;
    this.#setShown(id, { references, bytes });
    this.#referenceBytes += references * (bytes - bytesBefore);
  }

  #shownOf(id: Uuid): Shown {
    return this.#shown?.get(id) ?? (this.#base === null ? NOT_SHOWN : this.#base.#shownOf(id));
  }

  #setShown(id: Uuid, shown: Shown): void {
    this.#shown ??= new Map();
    // Without a base nothing shines through, and what is gone needs no entry.
    if (this.#base === null && shown.references === 0 && shown.bytes === 0) this.#shown.delete(id);
    else this.#shown.set(id, shown);
  }
}

/** The texts of a record, which are all of it that differs in length. */
type Texts = { readonly [K in Kind]: (record: TextsOf<K>) => readonly (string | null)[] };

/** What of a record its texts are read from. */
export type TextsOf<K extends Kind> = Pick<Entities[K], Extract<keyof Entities[K], TextField>>;
type TextField = 'title' | 'description' | 'name' | 'color' | 'content' | 'mime_type' | 'user';

const TEXTS: Texts = {
  board: ({ title, description }) => [title, description],
  member: ({ user }) => userTexts(user),
  column: ({ title, color }) => [title, color],
  card: ({ title, description }) => [title, description],
  label: ({ name, color }) => [name, color],
  checklist: ({ title }) => [title],
  item: ({ content }) => [content],
  attachment: ({ name, mime_type }) => [name, mime_type],
  rule: ({ name }) => [name],
};

function userTexts({ email, username, firstname, lastname }: Entities['member']['user']): readonly (string | null)[] {
  return [email, username, firstname, lastname];
}

const USER_FRAME_BYTES = bytesOfUserFrame();
const FRAME_BYTES = frameBytes();

/** The bytes that a record adds to the JSON of its board, without the labels and users that it refers to. */
export function ownBytes<K extends Kind>(kind: K, record: TextsOf<K> | undefined): number {
  return record === undefined ? 0 : FRAME_BYTES[kind] + textBytes(TEXTS[kind](record));
}

/** The bytes that a label or member adds to each card or item that shows it. */
export function shownBytes<K extends 'label' | 'member'>(kind: K, record: TextsOf<K> | undefined): number {
  if (record === undefined) return 0;
  return (kind === 'label' ? FRAME_BYTES.label : USER_FRAME_BYTES) + textBytes(TEXTS[kind](record));
}

function textBytes(texts: readonly (string | null)[]): number {
  let bytes = 0;
  for (const text of texts) bytes += jsonBytes(text);
  return bytes;
}

/** Beside the quotes, which the frame has. */
const NULL_BYTES = 'null'.length - '""'.length;
/** From this length on the engine's own encoder is faster than a loop. */
const LONG_TEXT = 200;

/** Of a text between the quotes of its JSON, in UTF-8. */
export function jsonBytes(text: string | null): number {
  if (text === null) return NULL_BYTES;
  if (text.length > LONG_TEXT) return Buffer.byteLength(JSON.stringify(text)) - '""'.length;
  let bytes = 0;
  for (let index = 0; index < text.length; index++) bytes += codeBytes(text.charCodeAt(index));
  return bytes;
}

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
const SHORT_ESCAPES: ReadonlySet<number> = new Set([...'\b\t\n\f\r'].map((character) => character.charCodeAt(0)));

function codeBytes(code: number): number {
  if (code < SPACE) return SHORT_ESCAPES.has(code) ? '\\n'.length : '\\u0000'.length;
  if (code < 0x80) return code === QUOTE || code === BACKSLASH ? 2 : 1;
  if (code < 0x800) return 2;
  // Each half of a pair is two of its four bytes.
  return code >= 0xd800 && code < 0xe000 ? 2 : 3;
}

/** The JSON of records without their texts, at its longest. */
function frameBytes(): Counts {
  const uuid = '0'.repeat(36);
  const time = '+275760-09-13T00:00:00.000Z';
  const times = { created_at: time, updated_at: time };
  const marks = { ...times, created_by: uuid, updated_by: uuid };
  const [id, rank] = [uuid, -RANK_LIMIT];
  const user = emptyUser(uuid);
  const own: { readonly [K in Kind]: Entities[K] } = {
    board: { id, title: '', description: '', ...marks },
    member: { id, role: 'member', user, ...times },
    column: { id, title: '', rank, color: '', is_done_column: false, ...marks },
    card: { id, column_id: uuid, title: '', description: '', rank, label_ids: [], assignee_ids: [], ...marks },
    label: { id, name: '', color: '', ...times },
    checklist: { id, card_id: uuid, title: '', rank, ...times },
    item: { id, checklist_id: uuid, content: '', is_done: false, rank, assignee_ids: [], ...times },
    attachment: { id, card_id: uuid, name: '', mime_type: '', size: Number.MAX_SAFE_INTEGER, ...times },
    rule: {
      id, name: '', is_enabled: false, ...times,
      trigger_type: 'CARD_CREATED', trigger_column_id: uuid, trigger_label_id: uuid,
      action_type: 'MOVE_TO_COLUMN', action_column_id: uuid, action_user_id: uuid,
    },
  };
  const derived: { readonly [K in Kind]: string } = {
    board: ',"labels":[],"members":[],"columns":[],"role":"member"',
    member: `,"user":${JSON.stringify(toPublicUser(user))}`,
    column: ',"cards":[]',
    card: ',"labels":[],"assignees":[],"checklists":[],"attachments":[]',
    label: '',
    checklist: ',"items":[]',
    item: ',"assignees":[]',
    attachment: '',
    rule: '',
  };
  const bytes = noCounts();
  const measure = <K extends Kind>(kind: K): void => {
    bytes[kind] = JSON.stringify(OWN_FIELDS[kind](own[kind], uuid)).length + derived[kind].length + ','.length;
  };
  for (const kind of KINDS) measure(kind);
  return bytes;
}

function bytesOfUserFrame(): number {
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

function fileBytes(record: Entities[Kind] | undefined): number {
  return record !== undefined && 'mime_type' in record ? record.size : 0;
}
