/**
 * Encodes one value as an item of a frame. Binary content and long texts anywhere in the value become attachments;
 * `lifted` says where and how each is put back.
 */
import type { FrameItem } from './frame.js';
import { MAX_JSON_DEPTH, requireBoundedJson } from './jsonBounds.js';
import { quote, Refusal } from './refusal.js';

/** Escaping a long text as JSON takes ten times as long as copying it. */
const LONG_TEXT_CHARACTERS = 8 * 1024;

type Lifting = 'bytes' | 'text';
type Path = ReadonlyArray<string | number>;

interface Head {
  readonly value: unknown;
  readonly lifted?: ReadonlyArray<readonly [Lifting, ...Path]>;
}

interface Lifted {
  readonly how: Lifting;
  readonly path: Path;
  readonly bytes: Uint8Array;
}

/** Throws a `TypeError` for a value that JSON cannot represent. */
export function encodeItem(value: unknown): FrameItem {
  const lifted: Lifted[] = [];
  const rest = lift(value, [], lifted);
  const head: Head = {
    value: rest,
    ...(lifted.length === 0 ? {} : { lifted: lifted.map(({ how, path }): [Lifting, ...Path] => [how, ...path]) }),
  };
  return { json: Buffer.from(JSON.stringify(head)), attachments: lifted.map(({ bytes }) => bytes) };
}

/** The value without lifted parts; the same object if there are none. */
function lift(value: unknown, path: Path, lifted: Lifted[]): unknown {
  if (typeof value === 'string') {
    // A text with an unpaired surrogate would change in UTF-8.
    if (value.length < LONG_TEXT_CHARACTERS || !value.isWellFormed()) return value;
    lifted.push({ how: 'text', path, bytes: Buffer.from(value) });
    return null;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) {
    lifted.push({ how: 'bytes', path, bytes: value });
    return null;
  }
  if (path.length >= MAX_JSON_DEPTH) throw new TypeError('a message that is nested too deeply');
  return Array.isArray(value) ? liftFromList(value, path, lifted) : liftFromObject(value, path, lifted);
}

function liftFromList(list: readonly unknown[], path: Path, lifted: Lifted[]): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (const [index, entry] of list.entries()) {
    const isScalar = typeof entry !== 'object' && typeof entry !== 'string';
    const rest = isScalar ? entry : lift(entry, [...path, index], lifted);
    if (rest === entry) continue;
    copy ??= [...list];
    copy[index] = rest;
  }
  return copy ?? list;
}

function liftFromObject(value: object, path: Path, lifted: Lifted[]): object {
  let copy: Record<string, unknown> | null = null;
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'object' && typeof member !== 'string') continue;
    const rest = lift(member, [...path, key], lifted);
    if (rest === member) continue;
    copy ??= { ...value };
    copy[key] = rest;
  }
  return copy ?? value;
}

export function decodeItem({ json, attachments }: FrameItem): unknown {
  requireBoundedJson(json);
  const head = parseHead(json);
  const lifted = head.lifted ?? [];
  if (lifted.length !== attachments.length) throw new Refusal('malformed', 'attachments that no field refers to');
  const root = { value: head.value };
  for (const [index, [how, ...path]] of lifted.entries()) {
    const bytes = attachments[index] ?? new Uint8Array(0);
    if (how === 'bytes') put(root, path, ownBytes(bytes));
    else if (how === 'text') put(root, path, asBuffer(bytes).toString());
    else throw new Refusal('unsupported', `an attachment of the kind ${quote(how)}`);
  }
  return root.value;
}

function parseHead(json: Uint8Array): Head {
  const head = parseJson(json);
  if (!isRecord(head)) throw new Refusal('malformed', 'an item that is not an object');
  const { value, lifted } = head;
  const isPlace = (place: unknown): boolean => Array.isArray(place) && place.length > 0 && place.length <= MAX_JSON_DEPTH + 1;
  if (lifted !== undefined && !(Array.isArray(lifted) && lifted.every(isPlace))) {
    throw new Refusal('malformed', 'attachments that are not a list');
  }
  return { value, lifted } as Head;
}

/** The place must exist in the JSON and be null, so a path cannot reach anything outside the value. */
function put(root: { value: unknown }, path: Path, content: unknown): void {
  let holder: Record<string, unknown> = root;
  let key = 'value';
  for (const step of path) {
    const next = holder[key];
    if (!isRecord(next) || !Object.hasOwn(next, step)) throw new Refusal('malformed', 'an attachment without a field');
    holder = next;
    key = String(step);
  }
  if (holder[key] !== null) throw new Refusal('malformed', 'an attachment whose field is already set');
  holder[key] = content;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(asBuffer(bytes).toString());
  } catch {
    throw new Refusal('malformed', 'bytes that are not JSON');
  }
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/**
 * Bytes that can be sent to a thread. Sending a view copies its whole buffer, so small views are copied out of their
 * message. A view of most of its message stays: copying it twice would cost more.
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return 2 * bytes.length > bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
