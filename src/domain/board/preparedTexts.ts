import type { Uuid } from '../ids.js';

/**
 * Texts of a large board that were put together in slices, for the one command that needs them next. Nothing may change
 * the board between the preparation and that command, and they are dropped with it.
 */
export interface PreparedTexts {
  /** The JSON array of the cards of a column, or the mark that stands for it. */
  readonly columns: Map<Uuid, string>;
  /** What the marks stand for. */
  readonly marked: Map<string, Uint8Array>;
  /** The board as a document. */
  document: string | null;
}
