/**
 * The content of attachments. It arrives chunk by chunk before its attachment exists, as an upload; it becomes the
 * attachment's in the commit that stores the record, and is discarded in the commit that removes it. Discarded content
 * is deleted a little at a time, because deleting gigabytes at once would block every board of the shard.
 */
import type { Database } from 'better-sqlite3';
import { MAX_CHUNK_BYTES } from '../../domain/ports/boardsPort.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import { chunkChecksum } from './checksum.js';
import type { ShardJournal } from './shardJournal.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** At most 2 MiB: a few milliseconds, because SQLite visits every page that it frees. */
const SWEEP_CHUNKS = 32;

type LooseState = 'uploading' | 'discarded';

export interface Chunk {
  readonly n: number;
  readonly start: number;
  readonly bytes: Buffer;
  /** Null if an older program wrote it. */
  readonly checksum: number | null;
}

export class AttachmentContent {
  readonly #journal: ShardJournal;
  readonly #isAttached;
  readonly #addLoose;
  readonly #isUploading;
  readonly #lacks;
  readonly #endOf;
  readonly #append;
  readonly #finish;
  readonly #drop;
  readonly #uploadsBefore;
  readonly #uploads;
  readonly #dropOfBoard;
  readonly #read;
  readonly #discarded;
  readonly #someChunks;
  readonly #deleteChunks;
  readonly #forget;

  constructor(db: Database, journal: ShardJournal) {
    this.#journal = journal;
    this.#isAttached = prepareRead(() => db.prepare<[BoardKey, Uuid]>('SELECT 1 FROM attachment WHERE board_key = ? AND id = ?'));
    // An existing row stays unchanged.
    this.#addLoose = prepareWrite<[Uuid, BoardKey, LooseState, string]>(
      db,
      'INSERT INTO loose_blob (attachment_id, board_key, state, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#isUploading = prepareRead(() => db.prepare<[Uuid]>(`SELECT 1 FROM loose_blob WHERE attachment_id = ? AND state = 'uploading'`));
    this.#lacks = prepareRead(() =>
      db.prepare<[Uuid, Uuid, number]>(
        `SELECT 1 FROM loose_blob WHERE attachment_id = ? AND state = 'uploading'
       AND NOT EXISTS (SELECT 1 FROM blob WHERE attachment_id = ? AND n = ?)`,
      ),
    );
    this.#endOf = prepareRead(() =>
      db.prepare<[Uuid, number], number>('SELECT start + length(bytes) FROM blob WHERE attachment_id = ? AND n = ?').pluck(),
    );
    this.#append = prepareWrite<[Uuid, number, number, Uint8Array, number]>(
      db,
      'INSERT INTO blob (attachment_id, n, start, bytes, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#finish = prepareWrite<[Uuid]>(db, `DELETE FROM loose_blob WHERE attachment_id = ? AND state = 'uploading'`);
    this.#drop = prepareWrite<[Uuid]>(db, `UPDATE loose_blob SET state = 'discarded' WHERE attachment_id = ? AND state = 'uploading'`);
    this.#uploadsBefore = prepareRead(() =>
      db.prepare<[string], Uuid>(`SELECT attachment_id FROM loose_blob WHERE state = 'uploading' AND since < ?`).pluck(),
    );
    this.#uploads = prepareRead(() => db.prepare<[], Uuid>(`SELECT attachment_id FROM loose_blob WHERE state = 'uploading'`).pluck());
    this.#dropOfBoard = prepareWrite<[BoardKey]>(db, `UPDATE loose_blob SET state = 'discarded' WHERE board_key = ?`);
    this.#read = prepareRead(() =>
      db.prepare<[Uuid, number, number], Chunk>(
        `SELECT n, start, bytes, checksum FROM blob
       WHERE attachment_id = ? AND start < ? AND start + length(bytes) > ? ORDER BY n`,
      ),
    );
    this.#discarded = prepareRead(() => db.prepare<[], Uuid>(`SELECT attachment_id FROM loose_blob WHERE state = 'discarded' LIMIT 1`).pluck());
    this.#someChunks = prepareRead(() =>
      db.prepare<[Uuid, number], { upTo: number | null; chunks: number }>(
        `SELECT max(n) AS upTo, count(*) AS chunks FROM (SELECT n FROM blob WHERE attachment_id = ? ORDER BY n LIMIT ?)`,
      ),
    );
    this.#deleteChunks = prepareWrite<[Uuid, number]>(db, 'DELETE FROM blob WHERE attachment_id = ? AND n <= ?');
    this.#forget = prepareWrite<[Uuid]>(db, 'DELETE FROM loose_blob WHERE attachment_id = ?');
  }

  /** False if the id is in use, by an attachment or by content that is still to be deleted. */
  startUpload(id: Uuid, now: string): boolean {
    const key = boardKeyOf(id);
    if (this.#isAttached.get(key, id) !== undefined) return false;
    if (this.#addLoose(id, key, 'uploading', now).changes === 0) return false;
    this.#journal.note({ op: 'upload.start', id, at: now });
    return true;
  }

  /** Whether the upload exists and lacks the chunk before this one. */
  lacksChunkBefore(id: Uuid, n: number): boolean {
    return n > 0 && this.#lacks.get(id, id, n - 1) !== undefined;
  }

  /**
   * Chunks are numbered from 0 without a gap. False if there is no such upload: it may have been removed with its
   * board. The same chunk may come again, if the answer to it was lost.
   */
  appendChunk(id: Uuid, n: number, bytes: Uint8Array): boolean {
    if (bytes.length > MAX_CHUNK_BYTES) throw new RangeError(`a chunk of ${bytes.length} bytes is too large`);
    if (!this.#isUploading.get(id)) return false;
    const start = n === 0 ? 0 : this.#endOf.get(id, n - 1);
    if (start === undefined) throw new RangeError(`chunk ${n} of an upload came before chunk ${n - 1}`);
    const end = this.#endOf.get(id, n);
    if (end === undefined) this.insertChunk(id, n, start, bytes);
    else if (!Buffer.concat(this.read(id, start, end)).equals(bytes)) throw new RangeError(`chunk ${n} of an upload came twice, with other content`);
    return true;
  }

  insertChunk(id: Uuid, n: number, start: number, bytes: Uint8Array): void {
    this.#append(id, n, start, bytes, chunkChecksum(id, n, start, bytes));
    this.#journal.note({ op: 'upload.append', id, n, start, bytes });
  }

  /** For the commit that stores the record: the content is now the attachment's. False when there is no such upload. */
  finishUpload(id: Uuid): boolean {
    return this.#finish(id).changes === 1;
  }

  dropUpload(id: Uuid): void {
    if (this.#drop(id).changes > 0) this.#journal.note({ op: 'upload.discard', id });
  }

  /** Uploads whose sender is gone. Returns how many. */
  dropUploadsBefore(startedBefore: string): number {
    return this.#dropUploads(this.#uploadsBefore.all(startedBefore));
  }

  /** At the start: the senders were connected to an earlier owner of the file. */
  dropAllUploads(): void {
    this.#dropUploads(this.#uploads.all());
  }

  #dropUploads(ids: readonly Uuid[]): number {
    for (const id of ids) this.dropUpload(id);
    return ids.length;
  }

  /** Part of the removal of its record. */
  discard(id: Uuid, now: string): void {
    this.#addLoose(id, boardKeyOf(id), 'discarded', now);
  }

  /** Uploads to a board that is being removed. */
  dropUploadsOfBoard(key: BoardKey): void {
    this.#dropOfBoard(key);
  }

  /** Whether there is content to delete. */
  hasDiscarded(): boolean {
    return this.#discarded.get() !== undefined;
  }

  /**
   * The bytes from `from` up to but not including `to`, in pieces; nothing beyond the end. Throws if the checksum of a
   * chunk differs: damaged content is never served.
   */
  read(id: Uuid, from: number, to: number): Uint8Array[] {
    if (to <= from) return [];
    return this.#read.all(id, to, from).map(({ n, start, bytes, checksum }) => {
      if (checksum !== null && chunkChecksum(id, n, start, bytes) !== checksum) {
        throw new Error(`chunk ${n} of attachment ${id} is damaged: its checksum differs`);
      }
      return bytes.subarray(Math.max(from - start, 0), Math.min(to - start, bytes.length));
    });
  }

  /** One step of deleting discarded content. */
  sweep(): void {
    const id = this.#discarded.get();
    if (id === undefined) return;
    const { upTo, chunks } = this.#someChunks.get(id, SWEEP_CHUNKS) ?? { upTo: null, chunks: 0 };
    this.removeChunks(id, upTo ?? -1, chunks < SWEEP_CHUNKS);
  }

  removeChunks(id: Uuid, upTo: number, isLast: boolean): void {
    this.#deleteChunks(id, upTo);
    if (isLast) this.#forget(id);
    this.#journal.note({ op: 'content.remove', id, upTo, isLast });
  }
}
