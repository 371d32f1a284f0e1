/** Changes in the directory by requests that may have a key: see its command `once`. */
import type { AuditEntry, AuditEvent } from '../../domain/audit.js';
import type { DirectoryCommands, KeyedRequest, OnceCommand, OnceOperation } from '../../domain/commands/directoryCommands.js';
import { REPLAYED, type RequestKey } from './requestKey.js';
import type { OperationAnswer, Services } from './operation.js';

export interface Changed<Op extends OnceOperation> {
  readonly value: DirectoryCommands[Op]['output'];
  readonly headers: NonNullable<OperationAnswer['headers']>;
}

/** `scope`: whose key it is. Null without a key. */
export function keyedRequest(services: Services, scope: string, key: RequestKey | null): KeyedRequest | null {
  return key && { scope, key: key.key, fingerprint: key.fingerprint(), now: services.now().toISOString() };
}

/** The answer to the same request, if it was carried out before. */
export async function earlierAnswer<Op extends OnceOperation>({ directory }: Services, request: KeyedRequest | null): Promise<Changed<Op> | null> {
  const found = request && (await directory.ask('once.find', request));
  // The fingerprint shows that the request was the same, and so was its change.
  return found && { value: found.value as Changed<Op>['value'], headers: [REPLAYED] };
}

/** With `event`, the change has an entry in the audit log. */
export async function changeOnce<Op extends OnceOperation>(
  { directory, audit }: Services,
  request: KeyedRequest | null,
  op: Op,
  input: DirectoryCommands[Op]['input'],
  event?: AuditEvent,
): Promise<Changed<Op>> {
  const change = async (entry?: AuditEntry): Promise<Changed<Op>> => {
    if (request === null) return { value: await directory.ask(op, input, entry), headers: [] };
    // A pair of operation and input is a command, but TypeScript cannot derive that from the union.
    const command = { op, input } as unknown as OnceCommand;
    const { value, isReplayed } = await directory.ask('once', { ...request, command }, entry);
    return { value: value as Changed<Op>['value'], headers: isReplayed ? [REPLAYED] : [] };
  };
  if (event === undefined) return change();
  return audit.along(event, change, ({ value, headers }) => value !== false && headers.length === 0);
}
