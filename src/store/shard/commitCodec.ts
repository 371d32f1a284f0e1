/**
 * Commits of a shard as bytes: a header in JSON, and behind it what JSON would blow up: the texts of events and kept
 * answers, and the chunks of attachments. Records are lists in the order of their columns, without names.
 *
 *   length of the header (32 bits, big-endian) · header · texts and chunks, whose lengths are in the header
 */
import type { ShardCommit, ShardWrite } from '../../domain/ports/shardCommit.js';
import type { Activity } from '../../domain/board/activity/facts.js';
import type { AnswerRow } from '../../domain/idempotency.js';
import { KINDS, type Change, type Entities, type Kind } from '../../domain/model.js';
import type { RowCodec, SqlValue } from '../table/rowCodec.js';
import { entityCodec } from './rowCodecs.js';

/** Raise it when an older program would misread what this one writes. */
const VERSION = 1;
const WORD_BYTES = 4;

interface Header {
  readonly version: number;
  readonly number: number;
  readonly writes: readonly unknown[];
  /** Of the texts and chunks, in their order. */
  readonly lengths: readonly number[];
}

type EncodedChange = readonly ['put', Kind, ...SqlValue[]] | readonly ['remove' | 'unfinished', Kind, string];

export function encodeCommit({ number, writes }: ShardCommit): Uint8Array {
  const pieces: Array<string | Uint8Array> = [];
  const encoded = writes.map((write) => encodeWrite(write, pieces));
  const lengths = pieces.map((piece) => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length));
  const content: Header = { version: VERSION, number, writes: encoded, lengths };
  const header = JSON.stringify(content);
  const headerBytes = Buffer.byteLength(header);
  // All parts are written into one buffer, without a buffer for each of them.
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, WORD_BYTES + headerBytes));
  let at = bytes.writeUInt32BE(headerBytes);
  at += bytes.write(header, at);
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at);
    else bytes.set(piece, (at += piece.length) - piece.length);
  }
  return bytes;
}

export function decodeCommit(bytes: Uint8Array): ShardCommit {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = WORD_BYTES + buffer.readUInt32BE(0);
  const { version, number, writes, lengths } = JSON.parse(buffer.toString('utf8', WORD_BYTES, end)) as Header;
  if (version !== VERSION) throw new Error(`a commit of version ${version}; this program reads version ${VERSION}`);
  let at = end;
  const pieces = lengths.map((length) => buffer.subarray(at, (at += length)));
  if (at !== buffer.length) throw new Error(`commit ${number} has ${buffer.length} bytes instead of ${at}`);
  let taken = 0;
  const take = (): Uint8Array => pieces[taken++] ?? new Uint8Array();
  return { number, writes: writes.map((write) => decodeWrite(write as EncodedWrite, take)) };
}

type EncodedFact = readonly [seq: number, kind: string, user_id: string | null, card_id: string | null];
type EncodedActivity = Omit<Activity, 'facts'> & { readonly facts: readonly EncodedFact[] };

type EncodedWrite = { readonly op: ShardWrite['op'] } & Readonly<Record<string, unknown>>;

/** Adds the texts and chunks to `pieces`. */
function encodeWrite(write: ShardWrite, pieces: Array<string | Uint8Array>): object {
  switch (write.op) {
    case 'rows':
      return { ...write, changes: write.changes.map(encodeChange) };
    case 'events':
      for (const { json } of write.events) pieces.push(json);
      return { ...write, events: write.events.map(({ seq, type }) => [seq, type]) };
    case 'activity': {
      const { first, facts, former } = write.activity;
      for (const { json } of facts) pieces.push(json);
      const heads = facts.map(({ seq, kind, user_id, card_id }): EncodedFact => [seq, kind, user_id, card_id]);
      return { ...write, activity: { first, facts: heads, former } };
    }
    case 'upload.append': {
      const { bytes, ...rest } = write;
      pieces.push(bytes);
      return rest;
    }
    case 'answer.add': {
      const { body, ...rest } = write.answer;
      if (body !== null) pieces.push(body);
      return { op: write.op, answer: { ...rest, hasBody: body !== null } };
    }
    default:
      return write;
  }
}

function decodeWrite(write: EncodedWrite, take: () => Uint8Array): ShardWrite {
  switch (write.op) {
    case 'rows':
      return { ...write, changes: (write['changes'] as EncodedChange[]).map(decodeChange) } as unknown as ShardWrite;
    case 'events': {
      const heads = write['events'] as [seq: number, type: string][];
      const events = heads.map(([seq, type]) => ({ seq, type, json: Buffer.from(take()).toString() }));
      return { ...write, events } as unknown as ShardWrite;
    }
    case 'activity': {
      const { first, facts: heads, former } = write['activity'] as EncodedActivity;
      const facts = heads.map(([seq, kind, user_id, card_id]) => ({ seq, kind, user_id, card_id, json: Buffer.from(take()).toString() }));
      return { ...write, activity: { first, facts, former } } as unknown as ShardWrite;
    }
    case 'upload.append':
      return { ...write, bytes: take() } as unknown as ShardWrite;
    case 'answer.add': {
      const { hasBody, ...rest } = write['answer'] as Omit<AnswerRow, 'body'> & { readonly hasBody: boolean };
      return { op: write.op, answer: { ...rest, body: hasBody ? Buffer.from(take()).toString() : null } };
    }
    default:
      return write as unknown as ShardWrite;
  }
}

function encodeChange(change: Change): EncodedChange {
  if ('put' in change) return ['put', change.kind, ...rowOf(change)];
  return [change.unfinished === true ? 'unfinished' : 'remove', change.kind, change.remove];
}

/** Kind and record agree by the type of `Change`, which TypeScript cannot express in a union. */
function rowOf({ kind, put }: Extract<Change, { put: unknown }>): SqlValue[] {
  return codecOf(kind).toRow(put as never);
}

const codecs = new Map<Kind, RowCodec<Entities[Kind]>>(KINDS.map((kind) => [kind, entityCodec<Kind>(kind)]));

function codecOf(kind: Kind): RowCodec<Entities[Kind]> {
  const codec = codecs.get(kind);
  if (codec === undefined) throw new Error(`a commit has a record of an unknown kind: ${String(kind)}`);
  return codec;
}

function decodeChange([how, kind, ...values]: EncodedChange): Change {
  if (how === 'put') return { kind, put: codecOf(kind).fromRow(values) } as Change;
  const remove = String(values[0]);
  return (how === 'remove' ? { kind, remove } : { kind, remove, unfinished: true }) as Change;
}
