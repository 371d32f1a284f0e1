/**
 * The API documents as the build wrote them; tests compare them with the table of operations. Each is read when it is first
 * asked for: that takes tens of milliseconds, and few processes are ever asked.
 */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../paths.js';

export interface ApiDocuments {
  openApi(): Buffer;
  asyncApi(): Buffer;
}

interface OpenApi {
  paths: Record<string, Record<string, { readonly tags: readonly string[] }>>;
  tags: ReadonlyArray<{ readonly name: string }>;
}

/** Without the operations of tags that are not served. */
export function apiDocuments(isServed: (tag: string) => boolean): ApiDocuments {
  let openApi: Buffer | null = null;
  let asyncApi: Buffer | null = null;
  return {
    openApi: () => (openApi ??= bytesOf(served(read('openapi.json') as OpenApi, isServed))),
    asyncApi: () => (asyncApi ??= bytesOf(read('asyncapi.json'))),
  };
}

function served(document: OpenApi, isServed: (tag: string) => boolean): OpenApi {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { tags }] of Object.entries(item)) if (!tags.every(isServed)) delete item[method];
    if (Object.keys(item).length === 0) delete document.paths[path];
  }
  document.tags = document.tags.filter(({ name }) => isServed(name));
  return document;
}

function bytesOf(document: unknown): Buffer {
  return Buffer.from(JSON.stringify(document));
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(packagePath('schema', name), 'utf8'));
}
