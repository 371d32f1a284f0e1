import { useMemo } from 'preact/hooks';
import { qrCodeOf, type QrCode } from './qrCode.js';

/** Light modules around the code, without which scanners do not find it. */
const MARGIN = 4;
const PIXELS_PER_MODULE = 4;

/** A text as a QR code; nothing if it is too long for one. Dark on light in every theme: scanners want it so. */
export function QrImage({ text, label }: { readonly text: string; readonly label: string }) {
  const code = useMemo(() => qrCodeOf(text), [text]);
  if (code === null) return null;
  const size = code.length + 2 * MARGIN;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={size * PIXELS_PER_MODULE}
      height={size * PIXELS_PER_MODULE}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={pathOf(code)} fill="#000" />
    </svg>
  );
}

/** A rectangle for each run of dark modules. */
function pathOf(code: QrCode): string {
  return code
    .flatMap((row, y) => {
      const text = row.map(Number).join('');
      return [...text.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index + MARGIN} ${y + MARGIN}h${run.length}v1h-${run.length}z`);
    })
    .join('');
}
