/** Refusals that only a board can decide, with the texts for the caller. */
import { AppError } from './errors.js';
import type { Uuid } from './ids.js';
import type { Kind, Role } from './model.js';

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
  comment: 'Comment',
  version: 'Version',
  watch: 'Watch',
  moved: 'Card',
  archived: 'Archived card or column',
  trashed: 'Entry of the trash',
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

export function notAuthor(): AppError {
  return new AppError('forbidden', 'Only the author of the comment may do this');
}

export function notAuthorOrOwner(): AppError {
  return new AppError('forbidden', 'Only the author of the comment or an owner of the board may do this');
}

/** A caller on the board whose role is too low. */
export function roleNeeded(role: Role, needed: Role): AppError {
  return needed === 'owner' ? notOwner() : new AppError('forbidden', `Your role on this board is ${role}: you cannot do this`);
}

/** As for users who are not on the board. */
export function notAssignable(): AppError {
  return new AppError('forbidden', 'Viewers and commenters of the board cannot be assigned');
}

export function notService(): AppError {
  return new AppError('forbidden', 'Only the service itself may do this');
}

export function lastOwner(): AppError {
  return new AppError('conflict', 'A board must keep at least one owner');
}

export function isBeingRemoved(): AppError {
  return new AppError('conflict', 'User is being removed from the board and cannot be assigned');
}

/** Of a card whose move to another board is under way, or of something on it. */
export function isLeaving(): AppError {
  return new AppError('conflict', 'The card is being moved to another board');
}

/** Of a card or column in the archive, or of something on one. */
export function isArchived(kind: 'card' | 'column'): AppError {
  return new AppError('conflict', `The ${kind} is archived. Restore it first.`);
}

export function notArchived(kind: 'card' | 'column'): AppError {
  return new AppError('conflict', `The ${kind} is not archived`);
}

export function notCover(): AppError {
  return new AppError('invalid', 'cover.attachment_id: must be a picture');
}

export function startsAfterDue(): AppError {
  return new AppError('invalid', 'start_at: must not be after due_at');
}

/** The id that follows from an idempotency key is not given to a second thing. Its creator is another user, or not known. */
export function idInUse(): AppError {
  return new AppError('invalid', 'Idempotency-Key: something else on this board has the id of this key; use another key');
}

export function idWasUsed(): AppError {
  return new AppError('conflict', 'Idempotency-Key: something that was deleted had the id of this key; use another key');
}

/** The content of a running upload is gone: with its board, or because its sender gave up. */
export function uploadLost(): AppError {
  return new AppError('unavailable', 'The upload was interrupted. Send the file again.', { retryAfter: 1 });
}

/** The chunk before this one has not arrived. Nothing was stored: the same chunk can be sent again. */
export function chunkEarly(): AppError {
  return new AppError('unavailable', 'A chunk of the file came too early. Try again.', { retryAfter: 1 });
}

/** Sent by a newer instance. A retry helps once this one is upgraded. */
export function unknownOperation(op: unknown): AppError {
  const name = JSON.stringify(String(op).slice(0, 60));
  return new AppError('unavailable', `This version does not know the operation ${name}. Try again.`, { retryAfter: 5 });
}

/**
 * Named users are not on the board. The board cannot know whether they exist: the API looks up `users` and answers "not
 * found" for a missing one.
 */
export class NotOnBoardError extends AppError {
  readonly users: readonly Uuid[];

  constructor(users: readonly Uuid[]) {
    super('forbidden', users.length === 1 ? 'User is not a member of the board' : 'Users are not members of the board');
    this.users = users;
  }
}

/** One operation of a batch was refused, and so all are. */
export class RefusedStep extends AppError {
  readonly step: number;
  readonly refusal: AppError;

  constructor(step: number, refusal: AppError) {
    super(refusal.code, refusal.detail);
    this.step = step;
    this.refusal = refusal;
  }
}
