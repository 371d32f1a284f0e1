/** Operations that leave an entry in the audit log. */
import type { AuditedClient, AuditEvent, AuditKind } from '../../domain/audit.js';
import { requireCaller } from './boardOperation.js';
import type { Operation, RawCall } from './operation.js';
import { REPLAYED_HEADER } from './requestKey.js';

export type AuditClient = AuditedClient;

/** The client as it is now: when the request is done, its connection may be gone. */
export function clientOf({ address, userAgent, key }: Pick<RawCall, 'address' | 'userAgent'> & Partial<Pick<RawCall, 'key'>>): AuditClient {
  const text = address();
  return { address: () => text, userAgent, ...(key ? { keyId: key.id } : {}) };
}

/** Records every success of an operation of a caller, and no repetition of a request with a key. */
export function audited(operation: Operation, kind: AuditKind, describe: (call: RawCall) => Pick<AuditEvent, 'subject' | 'details'>): Operation {
  return {
    ...operation,
    async invoke(call, services) {
      const event = { kind, user: requireCaller(call), client: clientOf(call) };
      return services.audit.after(
        event,
        async () => operation.invoke(call, services),
        ({ headers }) => (headers?.some(([name]) => name === REPLAYED_HEADER) === true ? null : describe(call)),
      );
    },
  };
}
