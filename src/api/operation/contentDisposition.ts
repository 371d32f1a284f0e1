/**
 * `Content-Disposition: attachment` for any file name: the plain form, with question marks for non-ASCII characters,
 * and the extended form (RFC 5987), which is exact and takes precedence where it is understood.
 */
export function attachmentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&');
  // Some browsers decode a percent sign in the plain form, so it needs the extended form too.
  if (ascii === name && !name.includes('%')) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii.replaceAll('%', '_')}"; filename*=UTF-8''${encodeExtended(name)}`;
}

/** `encodeURIComponent` leaves a few characters that RFC 5987 requires to be encoded. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, (char) => {
    return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
