/** Describes the machine: without it the numbers mean little. */
import { readFileSync } from 'node:fs';
import { cpus, totalmem, type, release, arch } from 'node:os';
import { findBinary } from '../src/http/uWebSockets.js';
import { SQLITE_PACKAGE } from '../src/store/sqlite/sqlite.js';
import { packagePath } from '../src/paths.js';
import { VERSION } from '../src/version.js';
import { openFilesLimit } from './processes/usage.js';
import type { Machine } from './results.js';

const PACKAGES = ['fastify', 'ws', 'socket.io', 'autocannon'] as const;

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    os: `${type()} ${release()} ${arch()}`,
    openFiles: openFilesLimit(),
    versions: { switchboard: VERSION, node: process.versions.node, ...packageVersions() },
  };
}

function packageVersions(): Record<string, string> {
  const others = PACKAGES.map((name) => [name, versionOf(name)] as const);
  return { 'uWebSockets.js': versionOf(findBinary().carrier), 'better-sqlite3': versionOf(SQLITE_PACKAGE), ...Object.fromEntries(others) };
}

/** From the file: not every package lets its own package.json be imported. */
function versionOf(name: string): string {
  const text = readFileSync(packagePath('node_modules', ...name.split('/'), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
