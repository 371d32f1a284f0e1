/** Multipart forms that FormData would not send. */
const BOUNDARY = 'by-hand-7f3a';
export const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } as const;

export interface Part {
  /** The text after `form-data; `. */
  readonly disposition: string;
  readonly type?: string;
  readonly content: string | Uint8Array;
}

export function multipart(...parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ disposition, type, content }) => {
    const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${typeLine}\r\n`;
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
  });
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]));
}

export function filePart(content: string | Uint8Array, disposition = 'name="file"; filename="a.bin"'): Part {
  return { disposition, type: 'application/octet-stream', content };
}
