import { operatorEntry as entryOf, type AuditEntry, type AuditKind } from '../../domain/audit.js';
import { IdSource } from '../../domain/ids.js';
import type { PublicUser } from '../../domain/account/user.js';

/** The entry of the audit log for what the operator does to a user now. */
export function operatorEntry(kind: AuditKind, user: Pick<PublicUser, 'id' | 'username'>): AuditEntry {
  return entryOf(kind, { at: new Date().toISOString(), id: new IdSource().fresh() }, user);
}
