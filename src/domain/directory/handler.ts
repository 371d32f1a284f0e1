/** The shape of a directory handler. Its caller is always the service: an API operation has checked who may ask. */
import type { SessionMessage } from '../account/session.js';
import type { PublicUser } from '../account/user.js';
import type { BoardListChange, DirectoryCommands, DirectoryOperation, PendingProfile } from '../commands/directoryCommands.js';
import type { Effect } from '../commands/steps/effect.js';
import type { FeedMessage } from '../feed.js';
import type { AuditRetention } from './auditRetention.js';
import type { DirectoryRows } from './rows.js';

export interface DirectoryAnswer<Value> {
  readonly value: Value;
  /** Nothing was done, or not now: the audit entry of the command is not kept. */
  readonly isRefused?: true;
  /** The new state of a changed user: caches drop their copy. */
  readonly changed?: PublicUser;
  /** New entries of the outbox. */
  readonly added?: readonly PendingProfile[];
  /** Boards that users joined or left. */
  readonly lists?: readonly BoardListChange[];
  /** For the feeds of users. */
  readonly messages?: readonly FeedMessage[];
  /** Sessions that ended or were renewed. */
  readonly sessions?: SessionMessage;
  /** Entries of the outbox after the id `after`; `user` is null where there is no such user. */
  readonly undelivered?: { readonly after: number; readonly rows: ReadonlyArray<{ readonly id: number; readonly user: PublicUser | null }> };
}

/** Refuses by throwing an `AppError`; then nothing was written. */
export interface DirectoryHandler<Op extends DirectoryOperation> {
  readonly effect: Effect;
  run(rows: DirectoryRows, input: DirectoryCommands[Op]['input'], audit: AuditRetention): DirectoryAnswer<DirectoryCommands[Op]['output']>;
}

export type DirectoryHandlers<Op extends DirectoryOperation = DirectoryOperation> = { readonly [O in Op]: DirectoryHandler<O> };

/** The handlers of the operations whose names begin with a resource. */
export type DirectoryHandlersOf<Resource extends string> = DirectoryHandlers<Extract<DirectoryOperation, `${Resource}.${string}`>>;
