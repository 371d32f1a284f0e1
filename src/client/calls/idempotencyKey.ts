/** Keys that make a repeated call safe, and the ids that follow from them. */

/** A version 4 UUID. `crypto.randomUUID` is missing on pages without HTTPS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The id of what a call with this key creates on a board: the first 48 bits of the board's id and the last 80 of the
 * key. The service draws another id if that one is taken.
 */
export function createdId(boardId: string, key: string): string {
  return boardId.slice(0, 13) + key.slice(13).toLowerCase();
}
