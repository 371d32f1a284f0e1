/** Packs the client that the build has made, with npm. */
import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PackedClient {
  readonly path: string;
  readonly bytes: number;
}

/** `source` is the folder of the package, `folder` where the file goes. Its name is npm's: name and version. */
export async function packClient(source: string, folder: string): Promise<PackedClient> {
  await mkdir(folder, { recursive: true });
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
  const [packed] = JSON.parse(stdout) as ReadonlyArray<{ readonly filename: string }>;
  if (packed === undefined) throw new Error('npm pack made no file');
  const path = join(folder, packed.filename);
  return { path, bytes: (await stat(path)).size };
}
