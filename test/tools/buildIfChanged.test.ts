import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import { temporaryFolder } from '../support/store/folder.js';

const SCRIPT = 'src/tools/buildIfChanged.mjs';
/** Counts its runs, and fails if there is a file `broken`. */
const BUILD = `node -e "const fs=require('fs');fs.mkdirSync('dist',{recursive:true});fs.appendFileSync('dist/runs','x');process.exit(fs.existsSync('broken')?3:0)"`;

t.test('a start builds only if something has changed', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'src/tools'), { recursive: true });
  cpSync(packagePath(...SCRIPT.split('/')), join(folder, SCRIPT));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'sample', scripts: { build: BUILD } }));
  const start = (): number | null => spawnSync(process.execPath, [SCRIPT], { cwd: folder }).status;
  const runs = (): number => readFileSync(join(folder, 'dist/runs'), 'utf8').length;
  t.equal(start(), 0);
  t.equal(runs(), 1, 'the first time it builds');
  t.equal(start(), 0);
  t.equal(runs(), 1, 'the second time there is nothing to do');
  writeFileSync(join(folder, 'src/added.ts'), '');
  writeFileSync(join(folder, 'broken'), '');
  t.equal(start(), 3, 'a failed build is told');
  rmSync(join(folder, 'broken'));
  t.equal(start(), 0);
  t.equal(runs(), 3, 'and tried again');
  rmSync(join(folder, 'dist'), { recursive: true });
  t.equal(start(), 0);
  t.equal(runs(), 1, 'a build that was removed is made again');
});
