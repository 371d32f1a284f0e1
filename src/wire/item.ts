/**
 * Encodes one value as an item of a frame. Binary content and long texts anywhere in the value become attachments, and
 * secrets become sealed attachments; `lifted` says where and how each is put back.
 */
import { SECRET_FIELDS } from '../domain/account/secretFields.js';
import type { FrameItem } from './frame.js';
import { MAX_JSON_DEPTH, requireBoundedJson } from './jsonBounds.js';
import { quote, Refusal } from './refusal.js';
import type { Seal } from './sealing.js';

/** Escaping a long text as JSON takes ten times as long as copying it. */
const LONG_TEXT_CHARACTERS = 8 * 1024;
/** An older sealed message is a replay. The clocks of the machines must agree to within this. */
const SEALED_LIFETIME_MS = 30_000;

type Lifting = 'bytes' | 'text' | 'sealed';
type Path = ReadonlyArray<string | number>;

interface Head {
  readonly value: unknown;
  readonly lifted?: ReadonlyArray<readonly [Lifting, ...Path]>;
  /** In milliseconds since the epoch; only if something is sealed. */
  readonly sealed_at?: number;
}

/** A decrypted secret. Shapes require this class, so an unsealed text is refused. */
export class Opened {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

interface Lifted {
  readonly how: Lifting;
  readonly path: Path;
  readonly bytes: Uint8Array;
}

/** Throws a `TypeError` for a value that JSON cannot represent. */
export function encodeItem(value: unknown, seal: Seal, now = Date.now()): FrameItem {
  const lifted: Lifted[] = [];
  const rest = lift(value, [], lifted);
  const isSealed = lifted.some(({ how }) => how === 'sealed');
  const head: Head = {
    value: rest,
    ...(lifted.length === 0 ? {} : { lifted: lifted.map(({ how, path }): [Lifting, ...Path] => [how, ...path]) }),
    ...(isSealed ? { sealed_at: now } : {}),
  };
  const json = Buffer.from(JSON.stringify(head));
  // A secret opens only in its own message, so a user's hash cannot be moved to another user's change.
  const attachments = lifted.map(({ how, bytes }) => (how === 'sealed' ? seal.close(bytes, json) : bytes));
  return { json, attachments };
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
    if (member === undefined) continue;
    const isSecret = SECRET_FIELDS.has(key);
    if (!isSecret && typeof member !== 'object' && typeof member !== 'string') continue;
    const place = [...path, key];
    if (isSecret) lifted.push({ how: 'sealed', path: place, bytes: Buffer.from(JSON.stringify(member)) });
    const rest = isSecret ? null : lift(member, place, lifted);
    if (rest === member && !isSecret) continue;
    copy ??= { ...value };
    copy[key] = rest;
  }
  return copy ?? value;
}

export function decodeItem({ json, attachments }: FrameItem, seal: Seal): unknown {
  requireBoundedJson(json);
  const head = parseHead(json);
  const lifted = head.lifted ?? [];
  if (lifted.length !== attachments.length) throw new Refusal('malformed', 'attachments that no field refers to');
  const isInTime = head.sealed_at !== undefined && Math.abs(Date.now() - head.sealed_at) <= SEALED_LIFETIME_MS;
  const root = { value: head.value };
  for (const [index, [how, ...path]] of lifted.entries()) {
    const bytes = attachments[index] ?? new Uint8Array(0);
    if (how === 'bytes') put(root, path, ownBytes(bytes));
    else if (how === 'text') put(root, path, asBuffer(bytes).toString());
    else if (how !== 'sealed') throw new Refusal('unsupported', `an attachment of the kind ${quote(how)}`);
    else if (!isInTime) throw new Refusal('sealed', 'a sealed secret that is out of date');
    else put(root, path, new Opened(parseJson(seal.open(bytes, json))));
  }
  return root.value;
}

function parseHead(json: Uint8Array): Head {
  const head = parseJson(json);
  if (!isRecord(head)) throw new Refusal('malformed', 'an item that is not an object');
  const { value, lifted, sealed_at } = head;
  const isPlace = (place: unknown): boolean =>
    Array.isArray(place) && place.length > 0 && place.length <= MAX_JSON_DEPTH + 1;
  if (lifted !== undefined && !(Array.isArray(lifted) && lifted.every(isPlace))) {
    throw new Refusal('malformed', 'attachments that are not a list');
  }
  if (sealed_at !== undefined && typeof sealed_at !== 'number') throw new Refusal('malformed', 'a secret without a time');
  return { value, lifted, sealed_at } as Head;
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
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && !(value instanceof Opened);
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
