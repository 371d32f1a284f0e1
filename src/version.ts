import { readFileSync } from 'node:fs';
import { packagePath } from './paths.js';

/** The version of the package and of the API document. */
export const VERSION = readVersion();

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  return version;
}
