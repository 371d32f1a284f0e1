/** `npm run package`: makes the single file that runs on a machine without Node, and prints its path. */
import { relative } from 'node:path';
import { EXECUTABLE_NAME, makeExecutable, whyNotPackaged } from './package/executable.js';
import { packagePath } from '../paths.js';

const reason = await whyNotPackaged();
if (reason === null) {
  const { path, bytes, programBytes } = await makeExecutable(packagePath('dist', EXECUTABLE_NAME));
  const inside = `${megabytes(programBytes)} of it the program, the rest Node`;
  console.log(`${relative(process.cwd(), path)}: ${megabytes(bytes)}, ${inside}`);
} else {
  console.error(reason);
  process.exitCode = 1;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
