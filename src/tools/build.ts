/**
 * The build steps after tsc; run by `npm run build`. With `--write-openapi` it first regenerates schema/openapi.json
 * and the description of the sockets from the table of operations, and the part of the client that follows from them.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApiDocument, messagesJsonSchema } from '../api/describe/asyncapi.js';
import { openApiDocument } from '../api/describe/openapi.js';
import { buildClient } from './build/clientPackage.js';
import { clientFiles } from './build/clientCode.js';
import { buildDocsPage } from './build/docsPage.js';
import { buildDocumentPages } from './build/documentPages.js';
import { buildProgram } from './build/program.js';
import { buildRedocPage } from './build/redocPage.js';
import { buildWebApp } from './build/webApp.js';
import { packagePath } from '../paths.js';
import { VERSION } from '../version.js';

const COMPILED = /\.js(\.map)?$/;

const document = packagePath('schema', 'openapi.json');

for (const folder of ['src', 'test', 'bench']) removeOrphans(packagePath(folder), packagePath('dist', folder));
if (process.argv.includes('--write-openapi')) {
  const openApi = openApiDocument(VERSION);
  writeFileSync(document, `${JSON.stringify(openApi, null, 2)}\n`);
  for (const [name, code] of Object.entries(clientFiles(openApi))) {
    writeFileSync(packagePath('src', 'client', name), code);
  }
  writeFileSync(packagePath('schema', 'asyncapi.json'), `${JSON.stringify(asyncApiDocument(VERSION), null, 2)}\n`);
  writeFileSync(packagePath('schema', 'events.json'), `${JSON.stringify(messagesJsonSchema(), null, 2)}\n`);
}
buildDocsPage(packagePath('dist', 'docs'));
buildDocumentPages(openApiDocument(VERSION), asyncApiDocument(VERSION), VERSION, packagePath('dist', 'docs'));
if (buildRedocPage(document, packagePath('dist', 'docs', 'redoc.html')) === 'placeholder') {
  console.warn('redoc-cli is not installed, so /redoc will only point to /docs.');
}
if ((await buildProgram(packagePath('dist', 'src'), packagePath('dist', 'program'))) === 'placeholder') {
  console.warn('esbuild is not installed, so the program starts more slowly.');
}
const client = {
  compiled: packagePath('dist', 'src', 'client'),
  readme: packagePath('src', 'client', 'README.md'),
  license: packagePath('LICENSE'),
  version: VERSION,
};
if (buildClient(client, packagePath('dist', 'client')) === 'missing') {
  console.warn('esbuild is not installed, so /client.js is not served.');
}
if (buildWebApp(packagePath('src', 'web'), packagePath('dist', 'web')) === 'placeholder') {
  console.warn('esbuild is not installed, so / will only point to /docs.');
}

/** tsc never deletes: imports and the test runner would still find a module whose source is gone. */
function removeOrphans(sources: string, compiled: string): void {
  if (!existsSync(compiled)) return;
  for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
    if (!COMPILED.test(name) || existsSync(join(sources, name.replace(COMPILED, '.ts')))) continue;
    rmSync(join(compiled, name));
  }
}
