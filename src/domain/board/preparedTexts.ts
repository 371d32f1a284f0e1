import type { Uuid } from '../ids.js';
import type { UnwrittenBytes } from '../content/sharedBytes.js';

/**
 * Texts of a large board that were rendered in slices for the one command that needs them next. The board must not
 * change between the preparation and that command, and the texts are dropped with it.
 */
export interface PreparedTexts {
  /** The JSON array of the cards of a column, or its mark. */
  readonly columns: Map<Uuid, string>;
  /** The bytes of the marks. */
  readonly marked: Map<string, Uint8Array | UnwrittenBytes>;
  /** The board as a document. */
  document: string | null;
}
