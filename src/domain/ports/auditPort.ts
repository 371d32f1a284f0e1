import type { AuditEntry, AuditEvent } from '../audit.js';

/** The audit log as requests see it. */
export interface AuditPort {
  /** For what has happened. Never fails and takes no time: the entry is written soon. */
  record(event: AuditEvent): void;
  /**
   * For a change by the directory: `change` sends the entry along, which is then part of the same commit. `isDone`:
   * whether the result means that something was done; by default every result does. Refused with `too_many` if the entry
   * may not be left out and the user has caused too many of its kind within an hour.
   */
  along<Result>(event: AuditEvent, change: (entry: AuditEntry | undefined) => Promise<Result>, isDone?: (result: Result) => boolean): Promise<Result>;
  /** For a change by a board, refused likewise. The entry is written after it. `describe`: null if nothing was done. */
  after<Result>(
    event: AuditEvent,
    change: () => Promise<Result>,
    describe: (result: Result) => Pick<AuditEvent, 'subject' | 'details'> | null,
  ): Promise<Result>;
}
