/** Deletes users, for superusers and for the operator of the machine. */
import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { Role } from '../../domain/model.js';
import { textOf, type BoardsPort } from '../../domain/ports/boardsPort.js';

/** The others are counted. */
const MAX_NAMED = 10;

interface BoardSummary {
  readonly id: Uuid;
  readonly title: string;
  readonly members: ReadonlyArray<{ readonly user_id: Uuid; readonly role: Role }>;
}

/** Refused with `conflict` if a board would lose its last owner. The answer names the boards. */
export async function requireOtherOwners(services: OwnerServices, userId: Uuid): Promise<void> {
  const orphans = await boardsOwnedAlone(services, userId);
  if (orphans.length === 0) return;
  const named = orphans.slice(0, MAX_NAMED).map(({ id, title }) => `"${title}" (${id})`);
  const rest = orphans.length > MAX_NAMED ? ` and ${orphans.length - MAX_NAMED} more` : '';
  throw new AppError('conflict', `The user is the last owner of ${named.join(', ')}${rest}: name a user who gets these boards`);
}

export interface OwnerServices {
  readonly directory: DirectoryPort;
  readonly boards: BoardsPort;
}

async function boardsOwnedAlone({ directory, boards }: OwnerServices, userId: Uuid): Promise<BoardSummary[]> {
  const alone: BoardSummary[] = [];
  for (const target of await directory.ask('membership.list', { user_id: userId })) {
    const outcome = await boards.ask({ op: 'board.summary', caller: 'system', target, input: {} });
    if (!outcome.ok && outcome.error.code === 'not_found') continue;
    if (!outcome.ok) throw AppError.from(outcome.error);
    const board = JSON.parse(textOf(outcome) ?? '') as BoardSummary;
    const owners = board.members.filter(({ role }) => role === 'owner');
    if (owners.length === 1 && owners[0]?.user_id === userId) alone.push(board);
  }
  return alone;
}
