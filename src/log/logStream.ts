/**
 * The log of one partition as it is seen over the network. An answer may be late, lost, or come from a server that does
 * not know yet that it no longer leads. So only two answers prove something: `stored`, and the content of a place.
 */

export interface StoredRecord {
  /** Its place: from 1 and without gaps. */
  readonly seq: number;
  readonly body: Uint8Array;
}

export type Published =
  | { readonly kind: 'stored'; readonly seq: number }
  /** Some server says that the last place is not the expected one. */
  | { readonly kind: 'wrong place' }
  | { readonly kind: 'no answer'; readonly reason: string };

export interface LogBounds {
  /** The first place that is kept; one more than `last` if there is none. */
  readonly first: number;
  readonly last: number;
}

export interface LogStream {
  /** To be stored at the place after `expected`, or not at all. Never rejects. */
  publish(body: Uint8Array, expected: number): Promise<Published>;
  /** The record at this place; null if the server that answers has none. Rejects without an answer. */
  read(seq: number): Promise<StoredRecord | null>;
  /** Records from this place on, in order and without gaps, as many as are at hand; rejects without an answer. */
  readFrom(seq: number): Promise<readonly StoredRecord[]>;
  bounds(): Promise<LogBounds>;
  /** Calls with each record that is stored from now on. Some may be missed, and some come twice. */
  listen(onRecord: (record: StoredRecord) => void): { stop(): void };
}
