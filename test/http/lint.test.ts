import { createConfig, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import t from 'tap';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { openApiDocument } from '../../src/api/describe/openapi.js';
import { VERSION } from '../../src/version.js';

/** What the linter says about operations that are right as they are. */
const EXPECTED = [
  // They send a browser elsewhere, and have no other success.
  'operation-2xx-response /auth/sso/login',
  'operation-2xx-response /auth/sso/callback',
  // They are for everyone and take nothing, so there is nothing to refuse.
  'operation-4xx-response /auth/methods',
  'operation-4xx-response /health',
  'operation-4xx-response /ready',
  'operation-4xx-response /openapi.json',
  'operation-4xx-response /asyncapi.json',
];

/** As Redocly recommends, with warnings as errors. It reads nothing but the text. */
async function problemsOf(document: OpenAPIObject): Promise<string[]> {
  const examples = { severity: 'error', allowAdditionalProperties: true } as const;
  // Objects may have further fields, which are ignored.
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'no-invalid-media-type-examples': examples } });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  return problems.map(textOf);
}

function textOf({ ruleId, message, location: [place] }: NormalizedProblem): string {
  const [, , path = ''] = (place?.pointer ?? '').split('/');
  return ruleId.startsWith('operation-') ? `${ruleId} ${path.replaceAll('~1', '/')}` : `${ruleId} ${message} ${place?.pointer ?? ''}`;
}

t.test('HTTP16 the linter of Redocly finds nothing wrong in the API document', async (t) => {
  const document = JSON.parse(JSON.stringify(openApiDocument(VERSION))) as OpenAPIObject;
  t.strictSame((await problemsOf(document)).sort(), [...EXPECTED].sort());
  const cards = document.paths?.['/cards/{card_id}'];
  if (cards?.get === undefined || cards.patch === undefined) throw new Error('there is no such operation');
  cards.get.operationId = cards.patch.operationId ?? '';
  t.match((await problemsOf(document)).join('\n'), /operation-operationId-unique/, 'a mistake is found');
});
