/** The resources as they are sent. These schemas describe answers; tests hold every answer against them. */
import * as v from 'valibot';

export const id = () => v.pipe(v.string(), v.uuid());
export const timestamp = () => v.pipe(v.string(), v.isoTimestamp());

export const PublicUser = v.object({
  id: id(),
  email: v.pipe(v.string(), v.email()),
  username: v.string(),
  firstname: v.nullable(v.string()),
  lastname: v.nullable(v.string()),
  is_active: v.boolean(),
  is_verified: v.boolean(),
  is_superuser: v.boolean(),
});

/** Errors, and the two answers that say no more than that something was done. */
export const Detail = v.object({ detail: v.string() });

export const AccessToken = v.object({ access_token: v.string(), token_type: v.literal('bearer') });

export const Health = v.object({
  status: v.picklist(['ok', 'degraded', 'error']),
  database: v.picklist(['connected', 'error']),
  pubsub: v.picklist(['connected', 'embedded', 'disconnected']),
});

/** Named in the OpenAPI document; everything else is written out where it is used. */
export const NAMED_SCHEMAS = { PublicUser, Detail, AccessToken, Health };
