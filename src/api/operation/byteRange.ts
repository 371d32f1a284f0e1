/** One byte range of a `Range` header. */
export type ByteRange =
  | { readonly kind: 'whole' }
  /** From `from` up to but not including `to`. */
  | { readonly kind: 'part'; readonly from: number; readonly to: number }
  | { readonly kind: 'unsatisfiable' };

/** Anything but one well-formed byte range (several ranges, other units) is ignored, as the standard allows. */
export function parseRange(header: string, size: number): ByteRange {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim());
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (first === '' && last === '') return { kind: 'whole' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < from) return { kind: 'whole' };
  return from >= size ? { kind: 'unsatisfiable' } : { kind: 'part', from, to };
}
