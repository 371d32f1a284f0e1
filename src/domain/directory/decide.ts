/** The handlers of all directory commands, and the only way a command reaches them. */
import type {
  DirectoryCommand,
  DirectoryCommands,
  DirectoryOperation,
  KeyedRequest,
  OnceCommand,
  OnceOperation,
  OnceValue,
} from '../commands/directoryCommands.js';
import type { Effect } from '../commands/steps/effect.js';
import { answersSince, isSameRequest, keyReused } from '../idempotency.js';
import { unknownOperation } from '../refusals.js';
import type { AuditRetention } from './auditRetention.js';
import { deletionHandlers } from './deletion.js';
import { factorHandlers } from './factors.js';
import type { DirectoryAnswer, DirectoryHandler, DirectoryHandlers } from './handler.js';
import { identityHandlers } from './identities.js';
import { invitationHandlers } from './invitations.js';
import { keyHandlers } from './keys.js';
import { membershipHandlers } from './memberships.js';
import { noticeMailHandlers } from './notices/noticeMails.js';
import { noticeSettingsHandlers } from './notices/noticeSettings.js';
import { notificationHandlers } from './notices/notifications.js';
import { outboxHandlers } from './outbox.js';
import type { DirectoryRows } from './rows.js';
import { sessionHandlers } from './sessions.js';
import { setupHandlers } from './setup.js';
import { trashHandlers } from './trash.js';
import { userHandlers } from './users.js';

/** With each answer that is kept, up to this many old ones go. */
const SWEEP_ANSWERS = 16;

type CommonHandlers = DirectoryHandlers<'audit.add' | 'audit.list' | 'once' | 'once.find' | 'stats' | 'health.check' | 'users.lease'>;

const commonHandlers: CommonHandlers = {
  'audit.add': {
    effect: 'idempotent',
    run(rows, { entries }, audit) {
      audit.add(rows, entries);
      return { value: true };
    },
  },
  'audit.list': { effect: 'read', run: (rows, search) => ({ value: rows.auditPage(search) }) },
  once: {
    effect: 'keyed',
    run(rows, { command, now, ...request }, audit) {
      const kept = findKept(rows, { ...request, now });
      if (kept !== null) return { value: { ...kept, isReplayed: true }, isRefused: true };
      const { value, ...rest } = carryOut(rows, command, audit);
      if (value !== false) {
        rows.answers.keep({ ...request, body: JSON.stringify(value), shows: null, position: null, outboxId: null }, now);
        rows.answers.removeOlderThan(answersSince(now), SWEEP_ANSWERS);
      }
      return { ...rest, value: { value, isReplayed: false } };
    },
  },
  'once.find': { effect: 'read', run: (rows, request) => ({ value: findKept(rows, request) }) },
  stats: { effect: 'read', run: (rows) => ({ value: rows.stats() }) },
  'health.check': {
    effect: 'read',
    run(rows) {
      rows.list('user', {}, { order: ['id'], limit: 1 });
      return { value: true };
    },
  },
  // Answered by the owner of the directory, see `cluster/userGrants.ts`.
  'users.lease': { effect: 'read', run: () => ({ value: { ms: 0, by: '' } }) },
};

/** The type makes sure that none is missing. */
const DIRECTORY_HANDLERS: DirectoryHandlers = {
  ...userHandlers,
  ...setupHandlers,
  ...deletionHandlers,
  ...sessionHandlers,
  ...factorHandlers,
  ...keyHandlers,
  ...identityHandlers,
  ...invitationHandlers,
  ...membershipHandlers,
  ...notificationHandlers,
  ...noticeSettingsHandlers,
  ...noticeMailHandlers,
  ...trashHandlers,
  ...outboxHandlers,
  ...commonHandlers,
};

export const DIRECTORY_EFFECTS = Object.fromEntries(
  Object.entries<{ readonly effect: Effect }>(DIRECTORY_HANDLERS).map(([op, { effect }]) => [op, effect]),
) as { readonly [Op in DirectoryOperation]: Effect };

/** Runs the handler, and stores the audit entry of the command if it was carried out. Refuses by throwing an `AppError`. */
export function decideDirectory(rows: DirectoryRows, command: DirectoryCommand, audit: AuditRetention): DirectoryAnswer<unknown> {
  const { isRefused, ...answer } = dispatch(rows, command, audit);
  if (command.audit !== undefined && isRefused !== true) audit.add(rows, [command.audit]);
  return answer;
}

function dispatch<Op extends DirectoryOperation>(
  rows: DirectoryRows,
  command: { readonly op: Op; readonly input: DirectoryCommands[Op]['input'] },
  audit: AuditRetention,
): DirectoryAnswer<DirectoryCommands[Op]['output']> {
  // A newer instance may have sent it. Also refuses names such as "toString", which every object has.
  if (!Object.hasOwn(DIRECTORY_HANDLERS, command.op)) throw unknownOperation(command.op);
  const handler: DirectoryHandler<Op> = DIRECTORY_HANDLERS[command.op];
  return handler.run(rows, command.input, audit);
}

const ONCE: { readonly [Op in OnceOperation]: true } = {
  'user.create': true,
  'setup.create': true,
  'user.rename': true,
  'user.update': true,
  'user.configure': true,
  'user.redeem': true,
  'user.delete': true,
  'invitation.remove': true,
  'session.end': true,
  'session.endOthers': true,
  'key.remove': true,
};

function carryOut(rows: DirectoryRows, command: OnceCommand, audit: AuditRetention): DirectoryAnswer<OnceValue> {
  if (!Object.hasOwn(ONCE, command.op)) throw unknownOperation(command.op);
  return dispatch<OnceOperation>(rows, command, audit);
}

function findKept(rows: DirectoryRows, request: KeyedRequest): { value: OnceValue } | null {
  const kept = rows.answers.find(request.scope, request.key, request.now);
  if (kept === null) return null;
  if (!isSameRequest(kept, request)) throw keyReused();
  return { value: JSON.parse(kept.body ?? 'null') as OnceValue };
}
