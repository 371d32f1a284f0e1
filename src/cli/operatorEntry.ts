import { IdSource } from '../domain/ids.js';
import type { AuditEntry, AuditKind } from '../domain/audit.js';
import type { PublicUser } from '../domain/user.js';

/** The entry of the audit log for what the operator does to a user. */
export function operatorEntry(kind: AuditKind, { id, username }: Pick<PublicUser, 'id' | 'username'>): AuditEntry {
  return {
    at: new Date().toISOString(),
    id: new IdSource().fresh(),
    kind,
    user_id: null,
    username: null,
    subject_id: id,
    subject: username,
    address: null,
    device: 'command line',
    details: {},
  };
}
