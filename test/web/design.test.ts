/** The sheets of the page obey src/web/DESIGN.md. */
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { packagePath } from '../../src/paths.js';

type Theme = 'light' | 'dark';
type Rgb = readonly [red: number, green: number, blue: number];

const THEMES: readonly Theme[] = ['light', 'dark'];
const FOLDER = packagePath('src', 'web', 'style');
const DESIGN = readFileSync(packagePath('src', 'web', 'DESIGN.md'), 'utf8');
const tokens = read('tokens.css');
const SURFACES = ['--bg', '--surface', '--sunken', '--raised'];

t.test('WEB25 sizes of texts, spacing, shapes, colours, shadows and durations are properties of the token file', async (t) => {
  const raw: string[] = [];
  for (const file of readdirSync(FOLDER)) {
    if (file === 'tokens.css') continue;
    for (const [, property = '', value = ''] of read(file).matchAll(/(?<![\w-])([a-z-]+):\s+([^;{}]+)/g)) {
      if (isRaw(property, value)) raw.push(`${file}: ${property}: ${value}`);
    }
  }
  t.strictSame(raw, []);
  t.ok(isRaw('padding', '0.3rem var(--space-1)') && isRaw('margin', '-4px') && isRaw('gap', '0.2rem'));
  t.ok(isRaw('border-radius', '4px') && isRaw('font-size', '0.6rem') && isRaw('transition', 'width 0.2s'));
  t.ok(isRaw('color', '#fff') && isRaw('background', 'rgb(0 0 0 / 0.5)') && isRaw('box-shadow', '0 4px 8px var(--line)'));
});

t.test('WEB25 every name that a sheet uses is declared', async (t) => {
  const sheets = readdirSync(FOLDER).map(read).join('\n');
  const declared = new Set([...sheets.matchAll(/(?:@property\s+|[{;\s])(--[\w-]+)(?=\s*[:{])/g)].map(([, name]) => name));
  // The page gives these to elements.
  for (const name of ['--label', '--mark', '--column-color', '--room-before', '--room-after']) declared.add(name);
  t.strictSame(
    [...sheets.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name).filter((name) => !declared.has(name)),
    [],
  );
});

t.test('WEB25 every pair of colours has the contrast that DESIGN.md promises, in both themes', async (t) => {
  const rows = [...DESIGN.matchAll(/^\| (.*`--.*) \| ([\d.]+) \| ([\d.]+) \|$/gm)];
  t.ok(rows.length >= 9, 'the table is read');
  for (const [, pair = '', light, dark] of rows) {
    const [, front = '', back = ''] = /^(.*?) on (.*)$/.exec(pair) ?? [];
    const promised = { light: Number(light), dark: Number(dark) };
    for (const theme of THEMES) {
      const found = Math.min(...colorsIn(front, theme).flatMap((one) => colorsIn(back, theme).map((other) => contrast(one, other))));
      t.ok(found >= promised[theme], `${pair}, ${theme}: ${found.toFixed(2)}`);
      t.ok(promised[theme] >= (/ring|edges|star/.test(pair) ? 3 : 4.5), `${pair}, ${theme}: enough for everyone`);
    }
  }
});

t.test('WEB25 the name on a label can be read, whatever its colour', async (t) => {
  const [tint = 0, lean = 0] = [...read('controls.css').matchAll(/var\(--label\) (\d+)%/g)].map(([, part]) => Number(part) / 100);
  const steps = [0, 51, 102, 153, 204, 255];
  const labels = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue): Rgb => [red, green, blue])));
  for (const theme of THEMES) {
    const surface = token('--surface', theme);
    const text = token('--text', theme);
    const worst = Math.min(...labels.map((label) => contrast(mix(label, surface, tint), mix(label, text, lean))));
    t.ok(worst >= 7, `${theme}: ${worst.toFixed(2)}`);
  }
});

/** Without comments. */
function read(file: string): string {
  return readFileSync(`${FOLDER}/${file}`, 'utf8').replace(/\/\*.*?\*\//gs, '');
}

/** A hairline of one pixel has no name, and a size that follows its text is written in em. */
function isRaw(property: string, value: string): boolean {
  const isColor = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|\bwhite\b/i.test(value) || (/\bblack\b/.test(value) && property !== 'mask-image');
  if (isColor) return true;
  if (/^(?:transition|animation)(?:-duration)?$/.test(property)) return /\d(?:ms|s)\b/.test(value);
  if (property === 'box-shadow')
    return !value.split(/,\s*/).every((each) => /^(?:none|var\(--shadow-\d\)|(?:inset )?0 0 0 [12]px var\(--[\w-]+\))$/.test(each));
  if (!/^(?:padding|margin|gap|row-gap|column-gap|scroll-margin|scroll-padding|border-radius|font-size)/.test(property)) return false;
  return (value.match(/(?<![\w-])-?[\d.]+(?:px|rem)\b/g) ?? []).some((size) => !/^-?[01]px$/.test(size));
}

/** Colours that a cell of the table means: tokens, "any surface", "every colour of a person". */
function colorsIn(cell: string, theme: Theme): readonly Rgb[] {
  const names = [...cell.matchAll(/`(--[\w-]+)`/g)].map(([, name = '']) => name);
  if (cell.includes('any surface')) names.push(...SURFACES);
  const people = cell.includes('every colour of a person') ? [...tokens.matchAll(/--hue: (#\w+)/g)].map(([, color = '']) => rgb(color)) : [];
  return [...names.map((name) => token(name, theme)), ...people];
}

function token(name: string, theme: Theme): Rgb {
  const value = new RegExp(`${name}: ([^;]+);`).exec(tokens)?.[1] ?? '';
  const [light = '', dark = light] = value.match(/#[0-9a-f]{6}/g) ?? [];
  return rgb(theme === 'light' ? light : dark);
}

function rgb(color: string): Rgb {
  const part = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

/** As color-mix() does in sRGB. */
function mix(color: Rgb, other: Rgb, part: number): Rgb {
  const at = (index: 0 | 1 | 2): number => color[index] * part + other[index] * (1 - part);
  return [at(0), at(1), at(2)];
}

/** As WCAG 2 defines it. */
function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((each) => (each <= 10 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
