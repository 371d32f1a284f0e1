/** Copies of the compiled log in which one line is broken on purpose. A test that cannot tell them apart proves nothing. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import type { PartitionLogClass } from './simulation.js';

export interface Mutation {
  /** The compiled file, in `src/log`. */
  readonly file: string;
  /** Each must occur once. */
  readonly replace: ReadonlyArray<readonly [from: string, to: string]>;
}

export async function mutate(t: Test, { file, replace }: Mutation): Promise<PartitionLogClass> {
  const compiled = packagePath('dist', 'src');
  await mkdir(packagePath('dist', 'mutants'), { recursive: true });
  const folder = await mkdtemp(packagePath('dist', 'mutants', 'log-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await cp(join(compiled, 'log'), join(folder, 'log'), { recursive: true });
  await cp(join(compiled, 'domain'), join(folder, 'domain'), { recursive: true });
  let text = await readFile(join(folder, 'log', file), 'utf8');
  for (const [from, to] of replace) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not have "${from}" once`);
    text = text.replace(from, to);
  }
  await writeFile(join(folder, 'log', file), text);
  const module = (await import(pathToFileURL(join(folder, 'log', 'partitionLog.js')).href)) as { PartitionLog: PartitionLogClass };
  return module.PartitionLog;
}
