import t from 'tap';
import { readFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/api/openapi.js';
import { packagePath } from '../../src/paths.js';
import { VERSION } from '../../src/version.js';
import { startTestApp } from '../support/app.js';

t.test('HTTP16 the API document is served, and the copy in the repository is up to date', async (t) => {
  const { api } = await startTestApp(t);
  const { status, headers, body } = await api.request('GET', '/openapi.json');
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'no-cache');
  const made = JSON.parse(JSON.stringify(openApiDocument(VERSION))) as unknown;
  t.strictSame(body, made, 'what is served is made from the table of operations');
  const kept: unknown = JSON.parse(await readFile(packagePath('schema', 'openapi.json'), 'utf8'));
  // Not compared by the test framework, whose difference would be longer than the document.
  t.ok(JSON.stringify(kept) === JSON.stringify(made), 'schema/openapi.json is stale: npm run openapi');
});
