/** Stores the files of a document while they arrive, under their ids on the new board. */
import { Chunks } from '../../../domain/content/chunks.js';
import { MAX_CHUNK_BYTES, type ContentPort } from '../../../domain/ports/boardsPort.js';
import type { CopiedFile } from '../../../domain/commands/commands.js';
import { AppError } from '../../../domain/errors.js';
import { boardKeyOf, type IdSource, type Uuid } from '../../../domain/ids.js';
import { uploadLost } from '../../../domain/refusals.js';
import type { NewFile } from '../../documentsPort.js';
import { ChunkWriter } from './chunkWriter.js';
import type { FileSink } from '../../../transfer/fileSplitter.js';
import type { ReceivedFile } from '../../../transfer/importPlan.js';

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
  readonly chunks: Chunks;
  size: number;
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
    await this.#start(this.#options.ids.onBoard(boardKeyOf(this.#options.boardId)));
    return String(this.#files.length);
  }

  async #start(id: Uuid): Promise<void> {
    const { content } = this.#options;
    if (!(await content.start(id))) throw uploadLost();
    this.#arriving = { id, writer: new ChunkWriter(content, id), chunks: new Chunks(MAX_CHUNK_BYTES), size: 0 };
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
    for (const chunk of file.chunks.add(bytes)) await file.writer.append(chunk);
  }

  async end(): Promise<void> {
    const file = this.#arriving;
    if (file === null) {
      this.#files.push({ kind: 'too_large' });
      return;
    }
    for (const chunk of file.chunks.end()) await file.writer.append(chunk);
    await file.writer.finish();
    // Until then a failure drops it.
    this.#arriving = null;
    this.#files.push({ kind: 'stored', id: file.id, size: file.size, digest: file.writer.digest() });
  }

  /** A file that does not arrive with the document. */
  async add({ id, bytes }: NewFile): Promise<void> {
    await this.#start(id);
    await this.write(bytes);
    await this.end();
  }

  /** The file of another attachment of this service. */
  async copy({ id, size }: CopiedFile): Promise<void> {
    const { content } = this.#options;
    await this.begin();
    for (let from = 0; from < size && this.#arriving !== null; from += MAX_CHUNK_BYTES) {
      const to = Math.min(from + MAX_CHUNK_BYTES, size);
      const bytes = await content.read(id, from, to);
      if (bytes.length !== to - from) throw new AppError('conflict', 'A file was deleted while it was copied');
      await this.write(bytes);
    }
    await this.end();
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
}
