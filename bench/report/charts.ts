/** Charts as SVG text without dependencies. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The text beside the bar. */
  readonly shown: string;
  readonly color: string;
}

export interface Series {
  readonly label: string;
  readonly color: string;
  readonly dashed: boolean;
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number; readonly shown: string }>;
}

export interface Axis {
  readonly ticks: ReadonlyArray<{ readonly at: number; readonly label: string }>;
  /** From a value to its place along the axis; places may have any range. */
  readonly scale: (value: number) => number;
}

const WIDTH = 460;
const LABEL_WIDTH = 160;
const VALUE_WIDTH = 90;
const BAR_HEIGHT = 20;
const BAR_GAP = 6;

/** The longest bar fills the chart; all begin at zero. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const rows = bars.map(({ label, value, shown, color }, index) => {
    const y = index * (BAR_HEIGHT + BAR_GAP);
    const length = Math.max(1, (value / most) * room);
    const middle = y + BAR_HEIGHT / 2 + 4;
    return (
      `<text x="${LABEL_WIDTH - 8}" y="${middle}" text-anchor="end">${escapeHtml(label)}</text>` +
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="2" fill="${color}"/>` +
      `<text class="value" x="${LABEL_WIDTH + length + 6}" y="${middle}">${escapeHtml(shown)}</text>`
    );
  });
  return figure(title, bars.length * (BAR_HEIGHT + BAR_GAP), rows.join(''));
}

const PLOT = { left: 64, right: 34, top: 8, bottom: 26, height: 200 } as const;

export function curveChart(title: string, series: readonly Series[], x: Axis, y: Axis): string {
  const toX = place(x, PLOT.left, WIDTH - PLOT.right);
  const toY = place(y, PLOT.height - PLOT.bottom, PLOT.top);
  const grid = y.ticks.map(({ at, label }) => {
    const line = toY(at).toFixed(1);
    return (
      `<line class="grid" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${line}" y2="${line}"/>` +
      `<text x="${PLOT.left - 6}" y="${toY(at) + 4}" text-anchor="end">${escapeHtml(label)}</text>`
    );
  });
  const marks = x.ticks.map(
    ({ at, label }) => `<text x="${toX(at).toFixed(1)}" y="${PLOT.height - 8}" text-anchor="middle">${escapeHtml(label)}</text>`,
  );
  const curves = series.map(({ label, color, dashed, points }) => {
    const path = points.map((point) => `${toX(point.x).toFixed(1)},${toY(point.y).toFixed(1)}`).join(' ');
    const dots = points.map(
      (point) =>
        `<circle cx="${toX(point.x).toFixed(1)}" cy="${toY(point.y).toFixed(1)}" r="3" fill="${color}">` +
        `<title>${escapeHtml(`${label}: ${point.shown}`)}</title></circle>`,
    );
    const dash = dashed ? ' stroke-dasharray="5 4"' : '';
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"${dash}/>${dots.join('')}`;
  });
  const legend = series.map(
    ({ label, color, dashed }) => `<span><i style="border-top: 2px ${dashed ? 'dashed' : 'solid'} ${color}"></i>${escapeHtml(label)}</span>`,
  );
  const drawing = [...grid, ...marks, ...curves].join('');
  return figure(title, PLOT.height, drawing, `<p class="legend">${legend.join('')}</p>`);
}

/** A tick at every power of ten around the values. */
export function logAxis(values: readonly number[], show: (value: number) => string): Axis {
  const known = values.filter((value) => value > 0);
  const first = Math.floor(Math.log10(Math.min(...known)) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...known)) - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, step) => 10 ** (first + step));
  return {
    scale: (value) => Math.log10(Math.max(value, 10 ** first)),
    ticks: ticks.map((at) => ({ at, label: show(at) })),
  };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** The axis's ticks reach from one end of the plot to the other. */
function place({ scale, ticks }: Axis, from: number, to: number): (value: number) => number {
  const places = ticks.map(({ at }) => scale(at));
  const [low, high] = [Math.min(...places), Math.max(...places)];
  return (value) => from + ((scale(value) - low) / (high - low || 1)) * (to - from);
}

function figure(title: string, height: number, drawing: string, below = ''): string {
  return (
    `<figure><figcaption>${escapeHtml(title)}</figcaption>` +
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(title)}">${drawing}</svg>` +
    `${below}</figure>`
  );
}
