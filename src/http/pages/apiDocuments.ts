/**
 * The API documents as the build wrote them; tests compare them with the table of operations. Making them from the table
 * takes a tenth of a second of every start.
 */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../paths.js';

export interface ApiDocuments {
  readonly openApi: Buffer;
  readonly asyncApi: Buffer;
}

interface OpenApi {
  paths: Record<string, Record<string, { readonly tags: readonly string[] }>>;
  tags: ReadonlyArray<{ readonly name: string }>;
}

/** Without the operations of tags that are not served. */
export function loadApiDocuments(isServed: (tag: string) => boolean): ApiDocuments {
  const openApi = read('openapi.json') as OpenApi;
  for (const [path, item] of Object.entries(openApi.paths)) {
    for (const [method, { tags }] of Object.entries(item)) if (!tags.every(isServed)) delete item[method];
    if (Object.keys(item).length === 0) delete openApi.paths[path];
  }
  openApi.tags = openApi.tags.filter(({ name }) => isServed(name));
  return { openApi: Buffer.from(JSON.stringify(openApi)), asyncApi: Buffer.from(JSON.stringify(read('asyncapi.json'))) };
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(packagePath('schema', name), 'utf8'));
}
