/** The refusals that only a board can decide on, in the words in which the caller reads them. */
import { AppError } from './errors.js';
import type { Uuid } from './ids.js';
import type { Kind } from './model.js';

const NAMES: Readonly<Record<Kind, string>> = {
  board: 'Board',
  member: 'Member',
  column: 'Column',
  card: 'Card',
  label: 'Label',
  checklist: 'Checklist',
  item: 'Checklist item',
  attachment: 'Attachment',
  rule: 'Automation rule',
};

export function notFound(kind: Kind): AppError {
  return new AppError('not_found', `${NAMES[kind]} not found`);
}

export function notMember(): AppError {
  return new AppError('forbidden', 'You are not a member of this board');
}

export function notOwner(): AppError {
  return new AppError('forbidden', 'Only an owner of the board may do this');
}

export function lastOwner(): AppError {
  return new AppError('conflict', 'A board must keep at least one owner');
}

/** The content of a file that is on its way in is gone: with its board, or because its sender gave up. */
export function uploadLost(): AppError {
  return new AppError('unavailable', 'The upload was interrupted. Send the file again.', { retryAfter: 1 });
}

/** The chunk before this one has not arrived. Nothing was stored: the same chunk can be sent again. */
export function chunkEarly(): AppError {
  return new AppError('unavailable', 'A chunk of the file came too early. Try again.', { retryAfter: 1 });
}

/** Sent by an instance of a newer version. It helps to try again when this one was upgraded. */
export function unknownOperation(op: unknown): AppError {
  const name = JSON.stringify(String(op).slice(0, 60));
  return new AppError('unavailable', `This version does not know the operation ${name}. Try again.`, { retryAfter: 5 });
}

/**
 * Users were named who are not on the board. Whether they exist at all the board cannot know: who can, looks `users` up
 * and says "not found" for one who does not.
 */
export class NotOnBoardError extends AppError {
  readonly users: readonly Uuid[];

  constructor(users: readonly Uuid[]) {
    super('forbidden', users.length === 1 ? 'User is not a member of the board' : 'Users are not members of the board');
    this.users = users;
  }
}
