/** Parses a multipart form with exactly one file while it arrives. */
import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { MEDIA_TYPE } from '../../api/operation/mediaType.js';
import type { ReceivedFile, Upload } from '../../api/operation/operation.js';
import { Chunks } from '../../domain/content/chunks.js';
import { MAX_CHUNK_BYTES } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import { cleanFileName } from '../../domain/content/fileName.js';
import { copyOf, type IncomingBytes } from './bodyStream.js';
import { ClientGone, tooSlow } from './bodyReader.js';
import type { WatchedBody } from './bodyWatch.js';
import { requireMultipart } from './contentType.js';
import { FormHead } from './formHead.js';
import type { BodyFraming } from '../head.js';
import { Inflow } from './inflow.js';
import type { GatedBody } from './inflowGate.js';
import type { Intake } from './keptBodies.js';

/** Room for the other parts, boundaries and headers of the form. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
const DEFAULT_MIME_TYPE = 'application/octet-stream';

/**
 * Bytes that arrive before they are wanted are kept, and the connection is paused: at most what uWebSockets had already
 * read.
 */
export class MultipartUpload implements Upload, WatchedBody, GatedBody {
  readonly #framing: BodyFraming;
  readonly #contentType: string;
  #early: Array<{ bytes: Buffer; isLast: boolean }> = [];
  #form: busboy.Busboy | null = null;
  #file: Readable | null = null;
  /** Null once the file has begun. */
  #head: FormHead | null;
  /** Further bytes are unwanted. */
  #gone = false;
  #received = 0;
  readonly #inflow: Inflow;

  constructor(stream: IncomingBytes, framing: BodyFraming, contentType: string, intake: Pick<Intake, 'watch' | 'gate'>) {
    this.#inflow = new Inflow(stream, intake, this);
    this.#framing = framing;
    this.#contentType = contentType;
    this.#head = new FormHead(contentType);
    if (framing.kind === 'none') return;
    stream.onData((chunk, isLast) => {
      if (this.#gone) return;
      this.#received += chunk.byteLength;
      if (isLast) this.#inflow.end();
      const bytes = copyOf(chunk);
      if (this.#form === null) this.#early.push({ bytes, isLast });
      else this.#feed(this.#form, bytes, isLast);
    });
    this.#inflow.pause();
  }

  get received(): number {
    return this.#received;
  }

  get unconsumedBytes(): number {
    const early = this.#early.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return early + (this.#form?.writableLength ?? 0) + (this.#file?.readableLength ?? 0);
  }

  noteTooSlow(): void {
    this.#inflow.end();
    this.#form?.destroy(tooSlow());
  }

  clientGone(): void {
    this.#gone = true;
    this.#early = [];
    this.#inflow.leave();
    this.#form?.destroy(new ClientGone());
  }

  /** The rest is unwanted. `BodyStream` decides whether it is still read. */
  discard(): void {
    this.clientGone();
    this.#inflow.readRest();
  }

  async receive(maxBytes: number, onChunk: (bytes: Uint8Array) => Promise<void>): Promise<ReceivedFile> {
    if (this.#gone) throw new ClientGone();
    const form = this.#openForm(maxBytes);
    return new Promise((resolve, reject) => {
      let file: Promise<ReceivedFile> | null = null;
      const fail = (error: unknown): void => {
        form.destroy();
        reject(asRefusal(error));
      };
      form.on('file', (_field, stream, { filename, mimeType }) => {
        if (file !== null) {
          // Destroying the form ends this file with an error, and an error without a listener would end the process.
          stream.on('error', fail).resume();
          fail(new AppError('malformed', 'The form must have exactly one file, but it has several'));
          return;
        }
        const described = describeFile(filename, mimeType, this.#head?.typeOfFile() ?? '');
        this.#head = null;
        this.#file = stream;
        file = receiveFile(stream, maxBytes, onChunk).then((size) => ({ ...described, size }));
        file.catch(fail);
      });
      form.on('error', fail);
      form.on('close', () => {
        if (file === null) fail(new AppError('malformed', 'The form must have exactly one file, but it has none'));
        else file.then(resolve, reject);
      });
      this.#start(form);
    });
  }

  #openForm(maxBytes: number): busboy.Busboy {
    requireMultipart(this.#contentType);
    if (this.#framing.kind === 'length' && this.#framing.bytes > maxBytes + FORM_OVERHEAD_BYTES) throw tooLarge(maxBytes);
    try {
      return busboy({
        headers: { 'content-type': this.#contentType },
        defParamCharset: 'utf8',
        fileHwm: MAX_CHUNK_BYTES,
        limits: { fields: 20, fieldSize: FORM_OVERHEAD_BYTES, files: 2, headerPairs: 50 },
      });
    } catch (error) {
      throw new AppError('malformed', 'The form has no boundary', { cause: error });
    }
  }

  #start(form: busboy.Busboy): void {
    this.#form = form;
    if (this.#framing.kind === 'none') {
      form.end();
      return;
    }
    this.#inflow.resume();
    const early = this.#early;
    this.#early = [];
    for (const { bytes, isLast } of early) this.#feed(form, bytes, isLast);
  }

  #feed(form: busboy.Busboy, bytes: Buffer, isLast: boolean): void {
    if (form.destroyed) return;
    this.#head?.take(bytes);
    const room = form.write(bytes);
    if (isLast) form.end();
    // A few more chunks arrive after a pause, because uWebSockets finishes its current read: one listener is enough.
    else if (!room && !this.#inflow.isPaused) this.#pauseUntilDrained(form);
  }

  #pauseUntilDrained(form: busboy.Busboy): void {
    this.#inflow.pause();
    form.once('drain', () => {
      if (!this.#gone) this.#inflow.resume();
    });
  }
}

async function receiveFile(stream: Readable, maxBytes: number, onChunk: (bytes: Uint8Array) => Promise<void>): Promise<number> {
  let size = 0;
  const chunks = new Chunks(MAX_CHUNK_BYTES);
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    for (const chunk of chunks.add(piece)) await onChunk(chunk);
  }
  for (const chunk of chunks.end()) await onChunk(chunk);
  return size;
}

function describeFile(filename: string | undefined, mimeType: string, declared: string): Omit<ReceivedFile, 'size'> {
  return { name: cleanFileName(filename ?? ''), mime_type: withParameters(mimeType, declared) };
}

/** The type in lower case, with its parameters if they can be sent back safely. */
function withParameters(mimeType: string, declared: string): string {
  const isOfSameType = declared.toLowerCase().startsWith(mimeType);
  const whole = isOfSameType ? mimeType + declared.slice(mimeType.length) : mimeType;
  return [whole, mimeType].find((type) => MEDIA_TYPE.test(type)) ?? DEFAULT_MIME_TYPE;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too_large_file', `The file is larger than the maximum of ${maxBytes} bytes`);
}

/** Errors of busboy are faults of the form. */
function asRefusal(error: unknown): unknown {
  if (error instanceof AppError || error instanceof ClientGone) return error;
  return new AppError('malformed', 'The form is damaged or incomplete', { cause: error });
}
