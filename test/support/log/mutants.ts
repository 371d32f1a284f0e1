/** Copies of the compiled program in which one line is broken on purpose. A test that cannot tell them apart proves nothing. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';

export interface Mutation {
  /** The compiled file, below `src`. */
  readonly file: string;
  /** Each must occur once. */
  readonly replace: ReadonlyArray<readonly [from: string, to: string]>;
}

/** What the mutated modules need. */
const FOLDERS = ['domain', 'flow', 'log', 'nats', 'store', 'partitions', 'cluster', 'replication'];

const FILES = ['paths.js', 'sealedBox.js'];

/** Imports `module` of the broken program. */
export async function mutate<Module>(t: Test, mutation: Mutation, module: string): Promise<Module> {
  return (await breakProgram(t, mutation))<Module>(module);
}

/** Returns what imports modules of the broken program. */
export async function breakProgram(t: Test, { file, replace }: Mutation): Promise<<Module>(module: string) => Promise<Module>> {
  // Beside the sound program, so that its relative paths are the same.
  const folder = await mkdtemp(packagePath('dist', 'mutant-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const name of FOLDERS) await cp(packagePath('dist', 'src', name), join(folder, name), { recursive: true });
  for (const name of FILES) await cp(packagePath('dist', 'src', name), join(folder, name));
  let text = await readFile(join(folder, file), 'utf8');
  for (const [from, to] of replace) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not have "${from}" once`);
    text = text.replace(from, to);
  }
  await writeFile(join(folder, file), text);
  return async <Module>(module: string) => (await import(pathToFileURL(join(folder, module)).href)) as Module;
}
