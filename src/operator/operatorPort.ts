/** What the operator of the machine may do to any user and board, without an account. */
import type { Uuid } from '../domain/ids.js';

export interface OperatorPort {
  /**
   * The user is gone when this resolves; the boards may follow later. Refused with `conflict` if a board would lose its
   * last owner and no heir is named.
   */
  deleteUser(id: Uuid, heirId: Uuid | null): Promise<void>;
  exportBoard(id: Uuid): Promise<DocumentStream>;
  /** Creates a board from a document; resolves with the report as JSON. */
  importBoard(ownerId: Uuid, document: SentDocument): Promise<string>;
}

export interface DocumentStream {
  /** In bytes. */
  readonly size: number;
  /** Once. */
  pieces(): AsyncIterable<Uint8Array>;
}

export interface SentDocument {
  /** Passes the document on piece by piece, waits for each, and refuses a document above the limit. */
  receive(maxBytes: number, onChunk: (bytes: Buffer) => Promise<void>): Promise<void>;
}

export function documentTooLarge(maxBytes: number): string {
  return `The document is larger than ${maxBytes} bytes (MAX_IMPORT_BYTES)`;
}
