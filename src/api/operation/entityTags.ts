/**
 * Whether `If-None-Match` contains the tag: in a list, weak or strong, or as `*`. A proxy that compresses makes every
 * tag weak.
 */
export function namesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
