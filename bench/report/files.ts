/** Writes the results of a run: one JSON file for programs, one HTML page for readers. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../../src/paths.js';
import type { BenchResults } from '../results.js';
import { htmlReport } from './html.js';

export interface ResultFiles {
  readonly json: string;
  readonly html: string;
}

export async function writeResults(results: BenchResults, folder: string = packagePath('bench', 'results')): Promise<ResultFiles> {
  const name = results.startedAt.replace(/[:.]/g, '-');
  const files = { json: join(folder, `${name}.json`), html: join(folder, `${name}.html`) };
  await mkdir(folder, { recursive: true });
  await writeFile(files.json, `${JSON.stringify(results)}\n`);
  await writeFile(files.html, htmlReport(results));
  return files;
}
