/** Why a session ended, as the service says when it refuses to renew it. */
import { ApiError } from '../../client/index.js';
import type { PlainKey } from './catalogue.js';

/** By the `reason` in the refusal. */
const WORDS = new Map<unknown, PlainKey>([
  ['ended', 'ended.ended'],
  ['password', 'ended.password'],
  ['email', 'ended.email'],
  ['factor', 'ended.factor'],
  ['account', 'ended.account'],
  ['reused', 'ended.reused'],
  ['limit', 'ended.limit'],
  ['expired', 'ended.expired'],
]);

/** Null if the service gave none. */
export function endReasonIn(error: unknown): PlainKey | null {
  return (error instanceof ApiError && WORDS.get(error.body['reason'])) || null;
}
