/**
 * QR codes (ISO/IEC 18004): bytes, error correction M, of versions 1 to 20. Made here, so that the secret that a code shows
 * goes through no other program.
 */

/** Of each version, from 1: codewords for error correction in a block, and the number of blocks. */
const ECC_PER_BLOCK = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26] as const;
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16] as const;
/** Error correction M, as the format information names it. */
const LEVEL_M = 0;
const BYTE_MODE = 4;
const MASKS: ReadonlyArray<(x: number, y: number) => boolean> = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Rows of modules, true for a dark one. */
export type QrCode = ReadonlyArray<readonly boolean[]>;

/** Null if the text is too long, at more than 666 bytes. */
export function qrCodeOf(text: string): QrCode | null {
  const bytes = new TextEncoder().encode(text);
  const version = ECC_PER_BLOCK.findIndex((_ecc, index) => bytes.length <= roomOf(index + 1)) + 1;
  if (version === 0) return null;
  const codewords = interleaved(version, dataCodewords(version, bytes));
  const candidates = MASKS.map((_mask, mask) => drawn(version, codewords, mask));
  return candidates.reduce((best, each) => (penaltyOf(each) < penaltyOf(best) ? each : best));
}

/** Modules that carry data or error correction. */
function dataModules(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const size = version * 4 + 17;
  // All, without finders and separators, timing, format information and the dark module.
  let modules = size * size - 192 - (size - 16) * 2 - 31;
  if (alignments > 0) modules -= 25 * (alignments ** 2 - 3) - 10 * (alignments - 2);
  return version >= 7 ? modules - 36 : modules;
}

function totalCodewords(version: number): number {
  return Math.floor(dataModules(version) / 8);
}

function dataCapacity(version: number): number {
  return totalCodewords(version) - at(ECC_PER_BLOCK, version - 1) * at(BLOCKS, version - 1);
}

function lengthBits(version: number): number {
  return version < 10 ? 8 : 16;
}

/** Bytes of text. */
function roomOf(version: number): number {
  return Math.floor((dataCapacity(version) * 8 - 4 - lengthBits(version)) / 8);
}

function dataCodewords(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = [];
  const append = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  append(BYTE_MODE, 4);
  append(bytes.length, lengthBits(version));
  for (const byte of bytes) append(byte, 8);
  const capacity = dataCapacity(version);
  append(0, Math.min(4, capacity * 8 - bits.length));
  append(0, (8 - (bits.length % 8)) % 8);
  const codewords: number[] = [];
  for (let bit = 0; bit < bits.length; bit += 8) codewords.push(bits.slice(bit, bit + 8).reduce((byte, each) => (byte << 1) | each, 0));
  for (let pad = 0xec; codewords.length < capacity; pad ^= 0xec ^ 0x11) codewords.push(pad);
  return codewords;
}

/** Each block gets its error correction; then the codewords of all blocks take turns. */
function interleaved(version: number, data: readonly number[]): number[] {
  const [ecc, count] = [at(ECC_PER_BLOCK, version - 1), at(BLOCKS, version - 1)];
  const total = totalCodewords(version);
  const short = Math.floor(total / count) - ecc;
  const firstLong = count - (total % count);
  const generator = generatorOf(ecc);
  const blocks: { readonly data: readonly number[]; readonly ecc: readonly number[] }[] = [];
  let from = 0;
  for (let block = 0; block < count; block += 1) {
    const part = data.slice(from, from + short + (block < firstLong ? 0 : 1));
    from += part.length;
    blocks.push({ data: part, ecc: remainderOf(part, generator) });
  }
  const turns = (length: number, pick: (block: (typeof blocks)[number]) => readonly number[]): number[] =>
    Array.from({ length }, (_each, index) => blocks.flatMap((block) => pick(block).slice(index, index + 1))).flat();
  return [...turns(short + 1, (block) => block.data), ...turns(ecc, (block) => block.ecc)];
}

/** In the field of 256 elements with the polynomial 0x11d. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

function generatorOf(degree: number): number[] {
  let coefficients = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    coefficients = coefficients.map((each, index) => times(each, root) ^ (coefficients[index + 1] ?? 0));
    root = times(root, 2);
  }
  return coefficients;
}

function remainderOf(data: readonly number[], generator: readonly number[]): number[] {
  let rest = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ at(rest, 0);
    rest = [...rest.slice(1), 0].map((each, index) => each ^ times(at(generator, index), factor));
  }
  return rest;
}

function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const size = version * 4 + 17;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_each, index) => size - 7 - step * (count - 2 - index))];
}

function drawn(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = version * 4 + 17;
  const modules = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const isFixed = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const fix = (x: number, y: number, isDark: boolean): void => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    at(modules, y)[x] = isDark;
    at(isFixed, y)[x] = true;
  };
  for (let index = 0; index < size; index += 1) {
    fix(6, index, index % 2 === 0);
    fix(index, 6, index % 2 === 0);
  }
  for (const [left, top] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    square(4, (dx, dy, distance) => fix(left + dx, top + dy, distance !== 2 && distance !== 4));
  }
  const centres = alignmentCentres(version);
  const last = centres.length - 1;
  for (const [row, y] of centres.entries()) {
    for (const [column, x] of centres.entries()) {
      const isFinder = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
      if (!isFinder) square(2, (dx, dy, distance) => fix(x + dx, y + dy, distance !== 1));
    }
  }
  drawFormat(size, mask, fix);
  if (version >= 7) drawVersion(size, version, fix);
  placeData(modules, isFixed, codewords, at(MASKS, mask));
  return modules;
}

function square(reach: number, visit: (dx: number, dy: number, distance: number) => void): void {
  for (let dy = -reach; dy <= reach; dy += 1) {
    for (let dx = -reach; dx <= reach; dx += 1) visit(dx, dy, Math.max(Math.abs(dx), Math.abs(dy)));
  }
}

type Fix = (x: number, y: number, isDark: boolean) => void;

function drawFormat(size: number, mask: number, fix: Fix): void {
  const data = (LEVEL_M << 3) | mask;
  const bits = ((data << 10) | bchRemainder(data, 10, 0x537)) ^ 0x5412;
  const bit = (index: number): boolean => ((bits >>> index) & 1) === 1;
  for (let index = 0; index <= 5; index += 1) fix(8, index, bit(index));
  fix(8, 7, bit(6));
  fix(8, 8, bit(7));
  fix(7, 8, bit(8));
  for (let index = 9; index < 15; index += 1) fix(14 - index, 8, bit(index));
  for (let index = 0; index < 8; index += 1) fix(size - 1 - index, 8, bit(index));
  for (let index = 8; index < 15; index += 1) fix(8, size - 15 + index, bit(index));
  fix(8, size - 8, true);
}

function drawVersion(size: number, version: number, fix: Fix): void {
  const bits = (version << 12) | bchRemainder(version, 12, 0x1f25);
  for (let index = 0; index < 18; index += 1) {
    const isDark = ((bits >>> index) & 1) === 1;
    const [a, b] = [size - 11 + (index % 3), Math.floor(index / 3)];
    fix(a, b, isDark);
    fix(b, a, isDark);
  }
}

function bchRemainder(data: number, degree: number, generator: number): number {
  let rest = data;
  for (let step = 0; step < degree; step += 1) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * generator);
  return rest;
}

/** Upwards and downwards in pairs of columns from the right; the column of the timing is left out. */
function placeData(modules: boolean[][], isFixed: readonly boolean[][], codewords: readonly number[], mask: (x: number, y: number) => boolean): void {
  const size = modules.length;
  let next = 0;
  for (let pair = 0, right = size - 1; right >= 1; right -= right === 8 ? 3 : 2, pair += 1) {
    for (let step = 0; step < size; step += 1) {
      const y = pair % 2 === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (at(at(isFixed, y), x)) continue;
        const isDark = next < codewords.length * 8 && ((at(codewords, next >>> 3) >>> (7 - (next & 7))) & 1) === 1;
        at(modules, y)[x] = isDark !== mask(x, y);
        next += 1;
      }
    }
  }
}

/** What makes a code hard to read: long runs, blocks, patterns like finders, and much more dark than light. */
function penaltyOf(modules: QrCode): number {
  const size = modules.length;
  const columns = modules.map((_row, x) => modules.map((row) => at(row, x)));
  let penalty = 0;
  for (const line of [...modules, ...columns]) penalty += linePenalty(line);
  for (let y = 0; y + 1 < size; y += 1) {
    for (let x = 0; x + 1 < size; x += 1) {
      const dark = Number(modules[y]?.[x]) + Number(modules[y]?.[x + 1]) + Number(modules[y + 1]?.[x]) + Number(modules[y + 1]?.[x + 1]);
      if (dark === 0 || dark === 4) penalty += 3;
    }
  }
  const dark = modules.flat().filter(Boolean).length;
  return penalty + Math.max(0, Math.ceil(Math.abs(dark * 20 - size * size * 10) / (size * size)) - 1) * 10;
}

function linePenalty(line: readonly boolean[]): number {
  const text = line.map(Number).join('');
  const runs = text.match(/0{5,}|1{5,}/g) ?? [];
  // The margin around the code is light.
  const margin = '0000';
  const framed = `${margin}${text}${margin}`;
  let alike = 0;
  for (let from = 0; from + 11 <= framed.length; from += 1) {
    const part = framed.slice(from, from + 11);
    if (part === '10111010000' || part === '00001011101') alike += 1;
  }
  return runs.reduce((sum, run) => sum + run.length - 2, 0) + alike * 40;
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new Error(`nothing at ${index}`);
  return value;
}
