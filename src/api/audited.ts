/** Operations that leave an entry in the audit log. */
import type { AuditEvent } from '../domain/audit.js';
import { requireCaller } from './boardOperation.js';
import type { Operation, RawCall } from './operation.js';
import { REPLAYED_HEADER } from './requestKey.js';

export type AuditClient = NonNullable<AuditEvent['client']>;

/** The client as it is now: when the request is done, its connection may be gone. */
export function clientOf({ address, userAgent }: Pick<RawCall, 'address' | 'userAgent'>): AuditClient {
  const text = address();
  return { address: () => text, userAgent };
}

/** Records every success of an operation of a caller, and no repetition of a request with a key. */
export function audited(operation: Operation, describe: (call: RawCall) => Pick<AuditEvent, 'kind' | 'subject' | 'details'>): Operation {
  return {
    ...operation,
    async invoke(call, services) {
      const client = clientOf(call);
      const answer = await operation.invoke(call, services);
      const isReplayed = answer.headers?.some(([name]) => name === REPLAYED_HEADER) === true;
      if (!isReplayed) services.audit.record({ user: requireCaller(call), client, ...describe(call) });
      return answer;
    },
  };
}
