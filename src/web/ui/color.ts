/** Colours that users chose. */
/** Pure, because with these two every background has a contrast of at least 4.5. */
const BLACK = '#000000';
const WHITE = '#ffffff';

const known = new Map<string, string>();
let context: CanvasRenderingContext2D | null = null;

/** The better readable of two text colours on a background. */
export function textOn(background: string): string {
  const found = known.get(background);
  if (found !== undefined) return found;
  const light = luminance(toRgb(background));
  const text = contrast(light, 0) >= contrast(1, light) ? BLACK : WHITE;
  known.set(background, text);
  return text;
}

/** By the browser itself, which knows the names of colours. */
function toRgb(color: string): readonly [number, number, number] {
  context ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (context === null) return [128, 128, 128];
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** Relative luminance as WCAG defines it. */
function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(lighter: number, darker: number): number {
  const [high, low] = lighter > darker ? [lighter, darker] : [darker, lighter];
  return (high + 0.05) / (low + 0.05);
}
