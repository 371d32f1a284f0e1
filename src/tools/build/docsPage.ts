/** Builds the page at /docs: Swagger UI, as files of our own. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compress } from './compress.js';

/** Relative links, so that the page also works below /api and below a proxy's prefix. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Switchboard API</title>
    <link rel="icon" href="docs/favicon.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Names in the package, and here. */
const ASSETS = { 'swagger-ui.css': 'swagger-ui.css', 'swagger-ui-bundle.js': 'swagger-ui-bundle.js', 'favicon-32x32.png': 'favicon.png' } as const;

export function buildDocsPage(target: string): void {
  mkdirSync(target, { recursive: true });
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const [theirs, ours] of Object.entries(ASSETS)) copyFileSync(join(swagger, theirs), join(target, ours));
  writeFileSync(join(target, 'docs.html'), PAGE);
  writeFileSync(join(target, 'start.js'), START);
  for (const name of ['docs.html', 'start.js', ...Object.values(ASSETS)]) compress(join(target, name));
}
