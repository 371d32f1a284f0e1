import { createRequire } from 'node:module';
import type { BuildOptions, BuildResult } from 'esbuild';

export interface Bundler {
  build(options: BuildOptions): Promise<BuildResult>;
  buildSync(options: BuildOptions & { metafile: true }): BuildResult<{ metafile: true }>;
}

/** Null on a machine without esbuild, which is a development dependency. */
export function findBundler(): Bundler | null {
  try {
    return createRequire(import.meta.url)('esbuild') as Bundler;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
