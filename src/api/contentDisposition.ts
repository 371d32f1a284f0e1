/**
 * `Content-Disposition: attachment` for any file name: the plain form, in which old readers see question marks for what
 * ASCII cannot say, and the extended form (RFC 5987), which says it exactly and wins where it is understood.
 */
export function attachmentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&');
  // A percent sign in the plain form is decoded by some browsers, so it needs the exact form too.
  if (ascii === name && !name.includes('%')) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii.replaceAll('%', '_')}"; filename*=UTF-8''${encodeExtended(name)}`;
}

/** `encodeURIComponent` leaves a few characters alone that RFC 5987 wants encoded. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, (char) => {
    return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
