/** Compiles a C source to a library that LD_PRELOAD puts between a program and the C library. */
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { lookFor, type Found } from './programs.js';

/** The library in `folder`, or why there is none. A source that does not compile is an error, not a reason to skip. */
export async function compilePreload(source: string, folder: string): Promise<Found> {
  if (process.platform !== 'linux') return { missing: 'calls of the C library can be intercepted on Linux only' };
  const compiler = await lookFor(['cc', 'gcc', 'clang']);
  if ('missing' in compiler) return { missing: 'no C compiler is installed' };
  const path = join(folder, `${basename(source, '.c')}.so`);
  await promisify(execFile)(compiler.path, ['-shared', '-fPIC', '-O2', '-pthread', '-o', path, source]);
  return { path };
}
