/** Builds the page at /docs: Swagger UI, as files of our own. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compress } from './compress.js';
import { menuOf } from './documentPages.js';

/** Relative links, so that the page also works below /api and below a proxy's prefix. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Switchboard API</title>
    <link rel="icon" href="docs/favicon.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/menu.css">
    <link rel="stylesheet" href="docs/narrow.css">
  </head>
  <body>
    ${menuOf('docs')}
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** Swagger UI is dark if the document has its class. Its tables and examples are wider than a phone. */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const NARROW = `#swagger-ui { overflow-x: clip; }
body { margin: 0; }
html.dark-mode, html.dark-mode body { background: #1c2022; }
.swagger-ui { overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; flex-shrink: 1; word-break: break-word; }
  .swagger-ui .opblock-body pre, .swagger-ui .markdown pre { white-space: pre-wrap; }
  .swagger-ui table { display: block; overflow-x: auto; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; }
}
`;

/** Names in the package, and here. */
const ASSETS = { 'swagger-ui.css': 'swagger-ui.css', 'swagger-ui-bundle.js': 'swagger-ui-bundle.js', 'favicon-32x32.png': 'favicon.png' } as const;

export function buildDocsPage(target: string): void {
  mkdirSync(target, { recursive: true });
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const [theirs, ours] of Object.entries(ASSETS)) copyFileSync(join(swagger, theirs), join(target, ours));
  writeFileSync(join(target, 'docs.html'), PAGE);
  writeFileSync(join(target, 'start.js'), START);
  writeFileSync(join(target, 'narrow.css'), NARROW);
  for (const name of ['docs.html', 'start.js', 'narrow.css', ...Object.values(ASSETS)]) compress(join(target, name));
}
