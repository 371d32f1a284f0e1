/** The documentation pages, served without external files: Swagger UI at /docs, Redoc at /redoc. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packagePath } from '../../paths.js';
import type { Header } from '../exchange.js';

/** The content made smaller when the program was built. */
export interface Encodings {
  readonly br?: Uint8Array;
  readonly gzip?: Uint8Array;
}

export interface Page {
  readonly content: Uint8Array;
  readonly encodings?: Encodings;
  readonly etag: string;
  readonly headers: readonly Header[];
}
export type Pages = ReadonlyMap<string, Page>;

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const SWAGGER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
/** Redoc's page is one file: script and styles are inline, and its search runs in a worker made from a blob. */
const REDOC_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; worker-src blob:; frame-ancestors 'none'";

const SWAGGER_PAGE = `<!doctype html>
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

const SWAGGER_START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Relative links, so that the pages also work below /api and below a proxy's prefix. */
export function loadPages(): Pages {
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const asset = (name: string): Buffer => readFileSync(join(swagger, name));
  return new Map([
    ['/docs', page(SWAGGER_PAGE, HTML, SWAGGER_POLICY)],
    ['/docs/start.js', page(SWAGGER_START, SCRIPT, SWAGGER_POLICY)],
    ['/docs/swagger-ui.css', page(asset('swagger-ui.css'), 'text/css; charset=utf-8', SWAGGER_POLICY)],
    ['/docs/swagger-ui-bundle.js', page(asset('swagger-ui-bundle.js'), SCRIPT, SWAGGER_POLICY)],
    ['/docs/favicon.png', page(asset('favicon-32x32.png'), 'image/png', SWAGGER_POLICY)],
    ['/redoc', page(readFileSync(packagePath('dist', 'docs', 'redoc.html')), HTML, REDOC_POLICY)],
  ]);
}

function page(content: string | Uint8Array, type: string, policy: string): Page {
  const bytes = Buffer.from(content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return {
    content: bytes,
    etag,
    headers: [
      ['Content-Type', type],
      ['Content-Security-Policy', policy],
      ['ETag', etag],
      ['Cache-Control', 'no-cache'],
    ],
  };
}
