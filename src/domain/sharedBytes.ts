/** Text in memory that all threads of the process share: it is encoded once, and passing it on copies nothing. */
export function toSharedBytes(text: string): Uint8Array {
  const shared = new SharedArrayBuffer(Buffer.byteLength(text));
  Buffer.from(shared).write(text);
  return new Uint8Array(shared);
}
