/**
 * Whether `If-None-Match` names the tag: in a list, weak or strong, or as whatever there is. A proxy that compresses
 * makes every tag weak on its way out.
 */
export function namesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
