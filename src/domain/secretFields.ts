/**
 * Fields that never leave an instance in plain text, in whatever message they stand. The network between instances
 * seals them, and refuses them unsealed. Whoever adds a secret to a command or an answer adds its name here; a secret
 * must be a field of its own, never part of a finished JSON text.
 */
export const SECRET_FIELDS: ReadonlySet<string> = new Set(['hashed_password']);
