/** Reads the records of a log in order: checks the chain, joins the pieces of commits, and knows who owns the partition. */
import type { LogPosition } from '../domain/ports/partitionLog.js';
import { decodeRecord, nextChain, type LogRecord } from './records.js';

/** The log is not the one that this copy has followed, or a record is damaged. Going on would let the copies differ. */
export class BrokenLog extends Error {}

/** The copy was away for so long that the log no longer has its next record. A snapshot has it. */
export class PurgedLog extends BrokenLog {
  constructor(first: number, applied: number) {
    super(`the log begins at record ${first}, and this copy ends at ${applied}`);
  }
}

/** Chains of earlier records, against which records that come again are compared. */
const REMEMBERED = 1_024;

export interface ReadRecord {
  readonly record: LogRecord;
  /** The commit that the record completes. */
  readonly commit: Uint8Array | null;
}

export class RecordReader {
  readonly #schema: number;
  #position: LogPosition;
  #pieces: Uint8Array[] = [];
  /** The position before the first piece, from which a restarted copy must read. */
  #beforePieces: LogPosition | null = null;
  readonly #chains = new Map<number, string>();

  /** `schema`: the newest that this program knows. */
  constructor(position: LogPosition, schema = Infinity) {
    this.#position = position;
    this.#schema = schema;
    this.#remember();
  }

  get position(): LogPosition {
    return this.#position;
  }

  /** Over the latest records, by the number of the record. */
  get chains(): ReadonlyMap<number, string> {
    return this.#chains;
  }

  /** What a copy may store: everything up to here is in its file. */
  get storable(): LogPosition {
    return this.#beforePieces ?? this.#position;
  }

  /** The record after the last one. Throws `BrokenLog` if it does not follow it. */
  take(seq: number, body: Uint8Array): ReadRecord {
    const { applied, chain } = this.#position;
    if (seq !== applied + 1) throw new BrokenLog(`record ${seq} does not follow record ${applied}`);
    let record: LogRecord;
    try {
      record = decodeRecord(body);
    } catch (error) {
      throw new BrokenLog(`record ${seq} cannot be read: ${String(error)}`);
    }
    const { kind } = record;
    if (kind.type === 'own' && kind.schema > this.#schema) {
      throw new BrokenLog(`record ${seq} begins commits for schema ${kind.schema}, and this program knows ${this.#schema}: upgrade it`);
    }
    if (record.after !== chain) throw new BrokenLog(`record ${seq} follows another history than this copy`);
    // It may refuse the record: then the position stays before it.
    const commit = this.#join(seq, record);
    this.#position = { ...this.#follow(record), applied: seq, chain: nextChain(chain, body) };
    this.#remember();
    return { record, commit };
  }

  /** Throws `BrokenLog` if a record that comes again is another one than before. */
  compare(seq: number, body: Uint8Array): void {
    if (this.differs(seq, body)) throw new BrokenLog(`record ${seq} was another one before`);
  }

  /** Whether a record that comes again is another one than before; false if that is no longer known. */
  differs(seq: number, body: Uint8Array): boolean {
    const [before, after] = [this.#chains.get(seq - 1), this.#chains.get(seq)];
    if (before === undefined || after === undefined) return false;
    return nextChain(before, body) !== after;
  }

  #follow({ by, term, kind }: LogRecord): Pick<LogPosition, 'term' | 'owner'> {
    const { term: current, owner } = this.#position;
    if (kind.type === 'own') return { term, owner: { instance: by, folder: kind.folder, leaseMs: kind.leaseMs ?? null } };
    return { term: current, owner: kind.type === 'release' ? null : owner };
  }

  #join(seq: number, { kind, content }: LogRecord): Uint8Array | null {
    if (kind.type === 'piece') {
      if (kind.piece !== this.#pieces.length + 1) throw new BrokenLog(`record ${seq} is piece ${kind.piece} of a commit, too early`);
      this.#beforePieces ??= this.#position;
      this.#pieces.push(content);
      return null;
    }
    const pieces = this.#pieces;
    if (kind.type === 'commit' && kind.pieces !== pieces.length + 1) {
      throw new BrokenLog(`record ${seq} ends a commit of ${kind.pieces} pieces, of which ${pieces.length} were seen`);
    }
    this.#pieces = [];
    this.#beforePieces = null;
    // A new owner: what its predecessor left unfinished never was.
    if (kind.type !== 'commit') return null;
    if (pieces.length === 0 && content.length === 0) return null;
    return pieces.length === 0 ? content : Buffer.concat([...pieces, content]);
  }

  #remember(): void {
    const { applied, chain } = this.#position;
    this.#chains.set(applied, chain);
    this.#chains.delete(applied - REMEMBERED);
  }
}
