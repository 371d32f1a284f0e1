/**
 * Fields that never leave an instance in plain text, in any message. The network between instances seals them and
 * refuses unsealed ones. A new secret in a command or an answer must be added here, and must be a field of its own,
 * never part of a finished JSON text.
 */
export const SECRET_FIELDS: ReadonlySet<string> = new Set(['hashed_password']);
