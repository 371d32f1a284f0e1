/** `npm run package`: makes the client to install and the single file that runs on a machine without Node, and prints their paths. */
import { relative } from 'node:path';
import { packClient } from './package/clientTarball.js';
import { EXECUTABLE_NAME, makeExecutable, whyNotPackaged } from './package/executable.js';
import { packagePath } from '../paths.js';

const client = await packClient(packagePath('dist', 'client'), packagePath('dist', 'packages'));
console.log(`${relative(process.cwd(), client.path)}: ${(client.bytes / 1e3).toFixed(1)} kB, the client for \`npm install\``);

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
