import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import type { Erasure } from '../domain/commands/steps/erasure.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { textOf, type BoardsPort } from '../domain/ports/boardsPort.js';
import type { PublicUser } from '../domain/account/user.js';
import { stepForEach } from './stepForEach.js';

export interface ErasureParts {
  readonly directory: DirectoryPort;
  readonly boards: BoardsPort;
  readonly eventLog: {
    /** Deletes the board's kept events up to this number. */
    forgetEvents(boardId: Uuid, upTo: number): Promise<void>;
  };
}

/**
 * Takes a deleted user off every board they were ever on, with the kept events that may show them: clients that were away
 * read the board again. Done twice, it does nothing more.
 */
export async function* eraseUser({ directory, boards, eventLog }: ErasureParts, id: Uuid): AsyncGenerator<void> {
  const deletion = await directory.ask('user.deletion', { user: id, by: 'id' });
  if (deletion === null) return;
  yield* stepForEach(deletion.board_ids, async function* (board) {
    let latest = await eraseOnce(boards, board, id, deletion.heir);
    if (latest === null) return;
    // A comment that is deleted between two steps still shows its author.
    let { seq } = latest;
    while (latest?.state === 'more') {
      yield;
      latest = await eraseOnce(boards, board, id, deletion.heir);
      seq = latest?.seq ?? seq;
    }
    await eventLog.forgetEvents(board, seq);
  });
}

/** Null if the board does not exist. */
async function eraseOnce(boards: BoardsPort, target: Uuid, user_id: Uuid, heir: PublicUser | null): Promise<Erasure | null> {
  const outcome = await boards.ask({ op: 'member.erase', caller: 'system', target, input: { user_id, heir } });
  if (outcome.ok) return JSON.parse(textOf(outcome) ?? 'null') as Erasure | null;
  if (outcome.error.code === 'not_found') return null;
  throw AppError.from(outcome.error);
}
