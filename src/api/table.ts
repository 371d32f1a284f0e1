import { authOperations } from './auth.js';
import { documentOperations } from './documents.js';
import { healthOperations } from './health.js';
import type { Operation } from './operation.js';
import { userOperations } from './users.js';

/** Every operation of the service. */
export const operations: readonly Operation[] = [
  ...authOperations,
  ...userOperations,
  ...healthOperations,
  ...documentOperations,
];
