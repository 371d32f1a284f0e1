import type { AuditPort } from '../../src/domain/ports/auditPort.js';

/** For a part of the service without an audit log. */
export const NO_AUDIT: AuditPort & { writeToFile(): void } = {
  record: () => undefined,
  along: (_event, change) => change(undefined),
  after: (_event, change) => change(),
  writeToFile: () => undefined,
};
