/** Writes the results of a run: JSON and CSV for programs, one HTML page for readers. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../../src/paths.js';
import type { BenchResults } from '../results.js';
import { csvOf } from './csv.js';
import { htmlReport } from './html.js';

export interface ResultFiles {
  readonly json: string;
  readonly html: string;
  readonly csv: string;
}

export async function writeResults(results: BenchResults, folder: string = packagePath('bench', 'results')): Promise<ResultFiles> {
  const name = results.startedAt.replace(/[:.]/g, '-');
  const files = { json: join(folder, `${name}.json`), html: join(folder, `${name}.html`), csv: join(folder, `${name}.csv`) };
  await mkdir(folder, { recursive: true });
  await writeFile(files.json, `${JSON.stringify(results)}\n`);
  await writeFile(files.html, htmlReport(results));
  await writeFile(files.csv, csvOf(results));
  return files;
}
