import { Transform, type Writable } from 'node:stream';

type Screen = Writable & { readonly isTTY?: boolean };

/** Characters. */
const WIDTH = 30;

export interface Progress {
  advance(by: number): void;
  /** Ends the line if the work was less than expected. */
  finish(): void;
}

/** Shows the progress on a terminal; elsewhere it shows nothing. */
export function progressOf(title: string, total: number, screen: Screen): Progress {
  let done = 0;
  let shown = -1;
  const show = (): void => {
    const percent = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
    if (!screen.isTTY || percent === shown) return;
    shown = percent;
    const bar = '#'.repeat(Math.round((percent / 100) * WIDTH)).padEnd(WIDTH, '-');
    screen.write(`\r${title} [${bar}] ${String(percent).padStart(3)} %${percent === 100 ? '\n' : ''}`);
  };
  return {
    advance(by) {
      done += by;
      show();
    },
    finish() {
      if (screen.isTTY && shown >= 0 && shown < 100) screen.write('\n');
    },
  };
}

/** Passes bytes through and shows the progress. */
export function progressBar(title: string, total: number, screen: Screen): Transform {
  const progress = progressOf(title, total, screen);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      progress.advance(chunk.length);
      done(null, chunk);
    },
  });
}
