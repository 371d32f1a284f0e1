/** What the handler of a directory command gives back. */
import type { BoardListChange, DirectoryCommands, DirectoryOperation, PendingProfile } from '../../../domain/commands/directoryCommands.js';
import type { SessionMessage } from '../../../domain/account/session.js';
import type { PublicUser } from '../../../domain/account/user.js';

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
  /** Sessions that ended or were renewed. */
  readonly sessions?: SessionMessage;
  /** Entries of the outbox after the id `after`; `user` is null where there is no such user. */
  readonly undelivered?: { readonly after: number; readonly rows: ReadonlyArray<{ readonly id: number; readonly user: PublicUser | null }> };
}

export type DirectoryHandlers = {
  readonly [Op in DirectoryOperation]: (input: DirectoryCommands[Op]['input']) => DirectoryAnswer<DirectoryCommands[Op]['output']>;
};
