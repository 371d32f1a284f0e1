/** The service's own API documents. */
import * as v from 'valibot';
import { operation, type Operation } from './operation/operation.js';

const openApi = operation({
  name: 'openapi',
  method: 'GET',
  path: '/openapi.json',
  access: 'public',
  tag: 'Documentation',
  summary: 'Get the OpenAPI document',
  description: 'A browser shows it at `/docs` and `/redoc`.',
  success: { status: 200, description: 'OpenAPI 3.1', schema: v.objectWithRest({ openapi: v.string() }, v.unknown()) },
  async handle(_call, services) {
    return { json: services.apiDocuments.openApi(), headers: [['Cache-Control', 'no-cache']] };
  },
});

const asyncApi = operation({
  name: 'asyncapi',
  method: 'GET',
  path: '/asyncapi.json',
  access: 'public',
  tag: 'Documentation',
  summary: 'Get the AsyncAPI document',
  description: 'Describes how to connect to `/ws/boards/{board_id}`, every message in both directions, and the close codes.',
  success: {
    status: 200,
    description: 'AsyncAPI 3.0',
    schema: v.objectWithRest({ asyncapi: v.string() }, v.unknown()),
  },
  async handle(_call, services) {
    return { json: services.apiDocuments.asyncApi(), headers: [['Cache-Control', 'no-cache']] };
  },
});

export const documentOperations: readonly Operation[] = [openApi, asyncApi];
