/** Compresses what is served as it is once, so that no request pays for it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';

/** Writes `.br` and `.gz` beside the file, if that is worth the trouble of a second answer, and they are not there yet. */
export function compress(path: string): void {
  const content = readFileSync(path);
  // Brotli takes seconds for the largest. It is written last.
  if (existsSync(`${path}.br`) && gunzipSync(readFileSync(`${path}.gz`)).equals(content)) return;
  const gzip = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
  if (gzip.length >= content.length) return;
  writeFileSync(`${path}.gz`, gzip);
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }));
}
