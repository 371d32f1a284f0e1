import type { Uuid } from './ids.js';

/**
 * Texts of a large board that were put together in slices, for the one command that needs them next. Nothing may change
 * the board between the preparation and that command, and they are dropped with it.
 */
export interface PreparedTexts {
  /** The JSON array of the cards of a column. */
  readonly columns: Map<Uuid, string>;
  /** The board as a document. */
  document: string | null;
}
