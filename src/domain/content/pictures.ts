/** Types of files that are pixels only. An SVG is a document, which can run scripts. */
const PICTURE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

export function isPictureType(mimeType: string): boolean {
  return PICTURE_TYPES.has((mimeType.split(';')[0] ?? '').trim().toLowerCase());
}
