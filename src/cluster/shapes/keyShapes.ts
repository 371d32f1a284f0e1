/** Shapes of idempotency keys from other instances. */
import * as v from 'valibot';
import { MAX_KEY_CHARACTERS } from '../../domain/idempotency.js';
import { text } from '../../wire/shapes.js';

const MAX_FINGERPRINT_CHARACTERS = 64;

export const idempotencyKey = v.pipe(text, v.minLength(1), v.maxLength(MAX_KEY_CHARACTERS));
export const fingerprint = v.pipe(text, v.maxLength(MAX_FINGERPRINT_CHARACTERS));
