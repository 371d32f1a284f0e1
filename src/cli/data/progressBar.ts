import { Transform, type Writable } from 'node:stream';

/** Characters. */
const WIDTH = 30;

/** Passes bytes through and shows the progress on a terminal; elsewhere it shows nothing. */
export function progressBar(title: string, total: number, screen: Writable & { readonly isTTY?: boolean }): Transform {
  let passed = 0;
  let shown = -1;
  const show = (): void => {
    const percent = total === 0 ? 100 : Math.floor((passed / total) * 100);
    if (!screen.isTTY || percent === shown) return;
    shown = percent;
    const bar = '#'.repeat(Math.round((percent / 100) * WIDTH)).padEnd(WIDTH, '-');
    screen.write(`\r${title} [${bar}] ${String(percent).padStart(3)} %${percent === 100 ? '\n' : ''}`);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      show();
      done(null, chunk);
    },
  });
}
