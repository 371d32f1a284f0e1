/**
 * Loads uWebSockets.js: a binary for each platform and each version of Node. Two packages carry them, because the one
 * with binaries for old systems ends at Node 22. They are loaded without the packages' own code, whose errors name
 * neither the missing file nor a remedy.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { UnsupportedHost } from '../domain/errors.js';

type UWebSockets = typeof import('uWebSockets.js');

interface Carrier {
  readonly name: string;
  /** Where its binaries are. */
  readonly folders: readonly string[];
  readonly hasVerified: (host: Host) => boolean;
}

/** Tests compare the binaries with the official releases. */
const CARRIERS: readonly Carrier[] = [
  // All of v20.49. An operator may point this alias at an official release, which has its binaries at the top.
  { name: 'uWebSockets.js', folders: ['dist/bin', '.'], hasVerified: () => true },
  // Only these are equal to the binaries of v20.64; its binaries for macOS and Windows are in no official release.
  { name: 'uwebsockets', folders: ['.'], hasVerified: ({ platform, abi }) => platform === 'linux' && abi === '137' },
];

const WAYS_ROUND = 'the single file or the container, which bring their own Node';

/** What decides which binary is loaded. */
export interface Host {
  readonly platform: string;
  readonly arch: string;
  readonly node: string;
  /** `process.versions.modules`. */
  readonly abi: string;
  /** Folders of packages, the nearest first. */
  readonly packageFolders: readonly string[];
}

export interface Binary {
  readonly carrier: string;
  readonly path: string;
}

const require = createRequire(import.meta.url);

/** Loads it once for the process. */
export function loadUWebSockets(host = thisHost(), load: (path: string) => unknown = require): UWebSockets {
  const { path } = findBinary(host);
  try {
    return load(path) as UWebSockets;
  } catch (error) {
    throw new UnsupportedHost(whyNotLoaded(host, path, error), { cause: error });
  }
}

export function findBinary(host = thisHost()): Binary {
  const file = `uws_${host.platform}_${host.arch}_${host.abi}.node`;
  for (const { name, folders, hasVerified } of CARRIERS) {
    if (!hasVerified(host)) continue;
    const candidates = host.packageFolders.flatMap((packages) => folders.map((folder) => join(packages, name, folder, file)));
    const path = candidates.find((candidate) => existsSync(candidate));
    if (path !== undefined) return { carrier: name, path };
  }
  throw new UnsupportedHost(
    `uWebSockets.js has no binary here for Node ${host.node} (${file} is missing): use Node 20, 22 or, on Linux, 24, ` +
      `${WAYS_ROUND}, or point "uWebSockets.js" in package.json at an official release that has this file.`,
  );
}

export function thisHost(): Host {
  const { platform, arch, versions } = process;
  return { platform, arch, node: versions.node, abi: versions.modules, packageFolders: require.resolve.paths('uWebSockets.js') ?? [] };
}

function whyNotLoaded({ node }: Host, path: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const [, needed] = /GLIBC_([\d.]+)' not found/.exec(reason) ?? [];
  if (needed === undefined) return `uWebSockets.js cannot be loaded from ${path}: ${reason}`;
  const found = glibcVersion();
  return (
    `Node ${node} needs glibc ${needed} here, and this system has ${found ?? 'another C library'}: use Node 20 or 22, a ` +
    'single file made with one of them, the container, or a newer system (Debian 13, Ubuntu 24.04).'
  );
}

/** Null for another C library. */
function glibcVersion(): string | null {
  const { header } = process.report.getReport() as unknown as { readonly header: { readonly glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime ?? null;
}
