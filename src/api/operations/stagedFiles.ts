/** Stores the files of a document while they arrive, under their ids on the new board. */
import { MAX_CHUNK_BYTES, type ContentPort } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import { boardKeyOf, type IdSource, type Uuid } from '../../domain/ids.js';
import { uploadLost } from '../../domain/refusals.js';
import { ChunkWriter } from './chunkWriter.js';
import type { FileSink } from '../../transfer/fileSplitter.js';
import type { ReceivedFile } from '../../transfer/importPlan.js';

/** Each costs a commit; no real board has as many. */
const MAX_FILES = 10_000;

export interface StagedFilesOptions {
  readonly content: ContentPort;
  readonly ids: IdSource;
  readonly boardId: Uuid;
  /** For one file. */
  readonly maxBytes: number;
}

interface Arriving {
  readonly id: Uuid;
  readonly writer: ChunkWriter;
  size: number;
  pending: Buffer[];
  pendingBytes: number;
}

export class StagedFiles implements FileSink {
  readonly #options: StagedFilesOptions;
  readonly #files: ReceivedFile[] = [];
  #arriving: Arriving | null = null;

  constructor(options: StagedFilesOptions) {
    this.#options = options;
  }

  async begin(): Promise<string> {
    if (this.#files.length === MAX_FILES) throw new AppError('invalid', `body: must have at most ${MAX_FILES} files`);
    const { content, ids, boardId } = this.#options;
    const id = ids.onBoard(boardKeyOf(boardId));
    if (!(await content.start(id))) throw uploadLost();
    this.#arriving = { id, writer: new ChunkWriter(content, id), size: 0, pending: [], pendingBytes: 0 };
    return String(this.#files.length);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const file = this.#arriving;
    if (file === null) return;
    file.size += bytes.length;
    if (file.size > this.#options.maxBytes) {
      await this.#options.content.drop(file.id);
      this.#arriving = null;
      return;
    }
    file.pending.push(Buffer.from(bytes));
    file.pendingBytes += bytes.length;
    if (file.pendingBytes >= MAX_CHUNK_BYTES) await this.#appendWhole(file);
  }

  async end(): Promise<void> {
    const file = this.#arriving;
    this.#arriving = null;
    if (file === null) {
      this.#files.push({ kind: 'too_large' });
      return;
    }
    if (file.pendingBytes > 0) await file.writer.append(Buffer.concat(file.pending));
    await file.writer.finish();
    this.#files.push({ kind: 'stored', id: file.id, size: file.size, digest: file.writer.digest() });
  }

  /** By mark. */
  get received(): readonly ReceivedFile[] {
    return this.#files;
  }

  /** Drops all files except those that the board uses, by index. */
  async dropAllBut(taken: readonly number[]): Promise<void> {
    const kept = new Set(taken);
    const dropped = this.#files.filter((_file, place) => !kept.has(place));
    const ids = dropped.flatMap((file) => (file.kind === 'stored' ? [file.id] : []));
    if (this.#arriving !== null) ids.push(this.#arriving.id);
    const outcomes = [];
    for (const id of ids) outcomes.push(...(await Promise.allSettled([this.#options.content.drop(id)])));
    // A failure does not stop the others.
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** All chunks that are complete. */
  async #appendWhole(file: Arriving): Promise<void> {
    const bytes = Buffer.concat(file.pending);
    let at = 0;
    for (; bytes.length - at >= MAX_CHUNK_BYTES; at += MAX_CHUNK_BYTES) {
      await file.writer.append(bytes.subarray(at, at + MAX_CHUNK_BYTES));
    }
    file.pending = [bytes.subarray(at)];
    file.pendingBytes = bytes.length - at;
  }
}
