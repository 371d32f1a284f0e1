/** A file that the build made, in memory, with the encodings that it has. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Header } from '../exchange.js';

/** The content made smaller when the program was built. */
export interface Encodings {
  readonly br?: Uint8Array;
  readonly gzip?: Uint8Array;
}

export interface Page {
  readonly content: Uint8Array;
  readonly encodings: Encodings;
  readonly etag: string;
  readonly headers: readonly Header[];
}

export interface PageHeaders {
  readonly type: string;
  readonly policy: string;
  readonly cacheControl: string;
  readonly others?: readonly Header[];
  /** Changes the text of the file; what the build compressed is not used then. */
  readonly edit?: (text: string) => string;
}

/** The tag names the content, whatever its encoding: a client that has it in any needs none. */
export function loadPage(path: string, { type, policy, cacheControl, others = [], edit }: PageHeaders): Page {
  const built = readFileSync(path);
  const content = edit === undefined ? built : Buffer.from(edit(built.toString()));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return {
    content,
    encodings: edit === undefined ? encodingsOf(path) : { gzip: gzipSync(content) },
    etag,
    headers: [
      ['Content-Type', type],
      ['Content-Security-Policy', policy],
      ['ETag', etag],
      ['Cache-Control', cacheControl],
      ['Vary', 'Accept-Encoding'],
      ...others,
    ],
  };
}

function encodingsOf(path: string): Encodings {
  return {
    ...(existsSync(`${path}.br`) ? { br: readFileSync(`${path}.br`) } : {}),
    ...(existsSync(`${path}.gz`) ? { gzip: readFileSync(`${path}.gz`) } : {}),
  };
}
