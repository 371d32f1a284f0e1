/** How the checkers of answers and messages compile the schemas of the API documents. */
import type { Options } from 'ajv';

/**
 * A test file compiles dozens of checks and runs each a few times, so compiling is the cost. A schema that others refer
 * to is compiled once instead of into each of them, the code is not optimised, and the document is not validated: tests
 * of the documents do that.
 */
export const QUICK_TO_COMPILE: Options = {
  allErrors: true,
  strict: false,
  inlineRefs: false,
  validateSchema: false,
  meta: false,
  code: { optimize: false },
};
