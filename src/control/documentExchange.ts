/** The documents that one control connection sends and receives, piece by piece. */
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { Deferred } from '../flow/deferred.js';
import { documentTooLarge, type DocumentStream, type OperatorPort, type SentDocument } from './operatorPort.js';

export class DocumentExchange {
  readonly #operator: OperatorPort;
  #exported: DocumentStream | null = null;
  #imported: { readonly document: PushedDocument; readonly report: Promise<string> } | null = null;

  constructor(operator: OperatorPort) {
    this.#operator = operator;
  }

  async beginExport(boardId: Uuid): Promise<{ size: number }> {
    this.#exported = await this.#operator.exportBoard(boardId);
    return { size: this.#exported.size };
  }

  /** In Base64. */
  async read(from: number, to: number): Promise<string> {
    if (this.#exported === null) throw new AppError('invalid', 'No export was begun');
    return Buffer.from(await this.#exported.read(from, to)).toString('base64');
  }

  beginImport(ownerId: Uuid): null {
    this.abandon();
    const document = new PushedDocument();
    const report = this.#operator.importBoard(ownerId, document);
    // A refusal is the answer to the next piece, and is not unhandled until then.
    report.catch((error: unknown) => document.refuse(error));
    this.#imported = { document, report };
    return null;
  }

  /** `content` is in Base64. */
  async push(content: string): Promise<null> {
    await this.#requireImport().document.push(Buffer.from(content, 'base64'));
    return null;
  }

  finishImport(): Promise<string> {
    const { document, report } = this.#requireImport();
    this.#imported = null;
    document.end();
    return report;
  }

  /** The connection is over: what was not finished must leave nothing behind. */
  abandon(): void {
    this.#imported?.document.refuse(new AppError('unavailable', 'The command ended before its document did'));
    this.#imported = null;
  }

  #requireImport() {
    if (this.#imported === null) throw new AppError('invalid', 'No import was begun');
    return this.#imported;
  }
}

interface Receiver {
  readonly maxBytes: number;
  readonly onChunk: (bytes: Buffer) => Promise<void>;
}

/** A document whose pieces are pushed by one side and received by the other. */
class PushedDocument implements SentDocument {
  readonly #receiver = new Deferred<Receiver>();
  readonly #over = new Deferred<void>();
  #received = 0;

  constructor() {
    // Each side learns of a refusal by its own call.
    this.#receiver.promise.catch(() => undefined);
    this.#over.promise.catch(() => undefined);
  }

  receive(maxBytes: number, onChunk: (bytes: Buffer) => Promise<void>): Promise<void> {
    this.#receiver.resolve({ maxBytes, onChunk });
    return this.#over.promise;
  }

  async push(bytes: Buffer): Promise<void> {
    const { maxBytes, onChunk } = await this.#receiver.promise;
    try {
      this.#received += bytes.length;
      if (this.#received > maxBytes) throw new AppError('too_large', documentTooLarge(maxBytes));
      await onChunk(bytes);
    } catch (error) {
      this.refuse(error);
      throw error;
    }
  }

  end(): void {
    this.#over.resolve();
  }

  refuse(error: unknown): void {
    this.#receiver.reject(error);
    this.#over.reject(error);
  }
}
