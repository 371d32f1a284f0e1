import t from 'tap';
import { ResponseChecker, type CheckedResponse } from './support/http/responseChecker.js';

const checker = new ResponseChecker({
  openapi: '3.1.0',
  info: { title: 'Example', version: '1' },
  paths: {
    '/things/{thing_id}': {
      get: {
        responses: {
          200: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          304: { headers: { ETag: {} } },
        },
      },
      delete: { responses: { 204: {} } },
    },
    '/things/newest': { get: { responses: { 200: { headers: { ETag: {} }, content: { '*/*': {} } } } } },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { id: { type: 'string', format: 'uuid' }, name: { type: ['string', 'null'] } },
        required: ['id', 'name'],
      },
    },
  },
});

const THING = { id: '3f0e4a52-9a43-4f0e-8c64-0f1a2b3c4d5e', name: null };
const GOOD: CheckedResponse = {
  method: 'GET',
  path: '/things/1?full=yes',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  headers: ['date', 'etag'],
  body: THING,
};

t.test('an answer that matches the API document passes', async (t) => {
  const good: Record<string, Partial<CheckedResponse>> = {
    'JSON that fits': {},
    'the same below /api': { path: '/api/things/1' },
    'no body where none is documented': { status: 304, contentType: '', body: undefined },
    'HEAD, which has no body': { method: 'HEAD', body: undefined },
    'any content where any is allowed': { path: '/things/newest', contentType: 'image/png', body: new Uint8Array(1) },
    'an unknown path': { path: '/nothing', status: 404, body: {} },
    'a method that is not documented': { method: 'PUT', status: 405, body: {} },
  };
  for (const [name, change] of Object.entries(good)) t.doesNotThrow(() => checker.check({ ...GOOD, ...change }), name);
});

t.test('an answer that does not match the API document fails the test', async (t) => {
  const bad: Record<string, { change: Partial<CheckedResponse>; message: RegExp }> = {
    'another status': { change: { status: 500 }, message: /answered 500: the status is not documented/ },
    'another content type': { change: { contentType: 'text/plain' }, message: /content type text\/plain/ },
    'a missing field': { change: { body: { id: THING.id } }, message: /required property 'name'/ },
    'a wrong type': { change: { body: { ...THING, name: 1 } }, message: /name must be string,null/ },
    'a wrong format': { change: { body: { ...THING, id: 'x' } }, message: /id must match format "uuid"/ },
    'a field too many': { change: { body: { ...THING, secret: 1 } }, message: /additional properties/ },
    'no body': { change: { body: undefined }, message: /body must be object/ },
    'a header that says something': { change: { headers: ['set-cookie'] }, message: /header set-cookie is not documented/ },
    'a body where none is documented': {
      change: { method: 'DELETE', status: 204, headers: [] },
      message: /there is a body/,
    },
  };
  for (const [name, { change, message }] of Object.entries(bad)) {
    t.throws(() => checker.check({ ...GOOD, ...change }), { message }, name);
  }
});
