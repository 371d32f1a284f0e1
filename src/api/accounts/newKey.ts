/** Makes an API key: for a request, and for the operator's command line. */
import * as v from 'valibot';
import { newApiKey } from '../../auth/apiKeys.js';
import { MAX_BOARDS_PER_KEY, SCOPES, type ApiKey } from '../../domain/account/apiKey.js';
import type { AuditEntry } from '../../domain/audit.js';
import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { notMember } from '../../domain/refusals.js';
import { documented, list, time, title, uuid } from '../schemas/fields.js';

const EMPTY = 'must not be empty';

export const NewKeyFields = v.pipe(
  v.object({
    name: title(),
    scopes: v.pipe(list(v.picklist(SCOPES, `must be one of ${SCOPES.join(', ')}`), SCOPES.length), v.minLength(1, EMPTY)),
    board_ids: v.optional(v.nullable(v.pipe(list(uuid(), MAX_BOARDS_PER_KEY), v.minLength(1, EMPTY)))),
    expires_at: v.optional(v.nullable(time())),
  }),
  // Checked when the key is made, with the name of the field.
  documented({ anyOf: [{ properties: { scopes: { not: { contains: { const: 'admin' } } } } }, { properties: { board_ids: { type: 'null' } } }] }),
);
export type NewKeyFields = v.InferOutput<typeof NewKeyFields>;

export interface NewKey extends Omit<ApiKey, 'user_id'> {
  /** The key itself. It is stored nowhere. */
  readonly key: string;
}

/** Refused with `invalid`, with `forbidden` if the user may not have such a key, and with `limit`. */
export async function makeKey(
  directory: DirectoryPort,
  { user_id, id, now }: { readonly user_id: Uuid; readonly id: Uuid; readonly now: string },
  fields: NewKeyFields,
  audit?: AuditEntry,
): Promise<NewKey> {
  const { name, expires_at = null } = fields;
  const scopes = SCOPES.filter((scope) => fields.scopes.includes(scope));
  const board_ids = fields.board_ids ? [...new Set(fields.board_ids)] : null;
  if (board_ids !== null && scopes.includes('admin')) {
    throw new AppError('invalid', 'board_ids: not with the scope "admin", which is for no board');
  }
  if (expires_at !== null && expires_at <= now) throw new AppError('invalid', 'expires_at: must be in the future');
  if (board_ids !== null) await requireMember(directory, user_id, board_ids);
  const { key, prefix, token_hash } = newApiKey();
  const made = { id, name, prefix, scopes, board_ids, expires_at };
  await directory.ask('key.create', { ...made, user_id, token_hash, now }, audit);
  return { ...made, created_at: now, last_used: null, key };
}

async function requireMember(directory: DirectoryPort, user_id: Uuid, boardIds: readonly Uuid[]): Promise<void> {
  const own = new Set(await directory.ask('membership.list', { user_id }));
  if (!boardIds.every((id) => own.has(id))) throw notMember();
}
