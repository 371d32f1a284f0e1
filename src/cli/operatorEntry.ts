import { IdSource } from '../domain/ids.js';
import type { AuditEntry, AuditKind } from '../domain/audit.js';
import type { PublicUser } from '../domain/user.js';

/** The entry of the audit log for what the operator does, to a user or to the service. */
export function operatorEntry(
  kind: AuditKind,
  subject: Pick<PublicUser, 'id' | 'username'> | null,
  details: Readonly<Record<string, string>> = {},
): AuditEntry {
  return {
    at: new Date().toISOString(),
    id: new IdSource().fresh(),
    kind,
    user_id: null,
    username: null,
    subject_id: subject?.id ?? null,
    subject: subject?.username ?? null,
    address: null,
    device: 'command line',
    details,
  };
}
