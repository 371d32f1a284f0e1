/** `user delete`: removes an account and its traces. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DirectoryPort } from '../../domain/commands/directoryCommands.js';
import { AppError } from '../../domain/errors.js';
import { parseUuid, type Uuid } from '../../domain/ids.js';
import type { PublicUser } from '../../domain/account/user.js';
import { command } from '../command.js';
import { findUser, lookUpUser, nameOf, noSuchUser, USER_HELP } from './findUser.js';
import { withOperator } from '../operatorAccess.js';
import { CommandFailure, EX_FAILURE, EX_OK, EX_TEMPFAIL } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { printable } from '../table.js';

/** A user of thousands of boards takes a minute. */
const BOARDS_PATIENCE_MS = 10 * 60 * 1000;
const LOOK_AGAIN_MS = 100;

export const deleteUser = command({
  words: 'user delete',
  operand: 'user',
  summary: 'Delete a user for good.',
  description:
    `${USER_HELP} The account, its sessions and its invitations are gone at once; then the user leaves every\n` +
    'board. The boards stay, and their cards; what the user did there is shown without a name. If the command is\n' +
    'interrupted, run it again, or start the service: either finishes it. Backups keep what they have.',
  options: {
    'give-boards-to': {
      type: 'string',
      placeholder: 'user',
      meaning: 'Who becomes the owner of boards without another owner. Without it such a user is not deleted.',
    },
  },
  async run({ options, operand }, { stdout }) {
    const heirName = options['give-boards-to'];
    const text = await withOperator(requireConfig(), async (access) => {
      const { directory } = access;
      const { id, name } = await findDeletable(directory, operand);
      const heir = heirName === undefined ? null : await findUser(directory, heirName);
      await access.deleteUser(id, heir?.id ?? null).catch((error: unknown) => explainRefusal(error, heir));
      await untilBoardsVisited(directory, id);
      await requireNoneKept(directory, id);
      return describe(name, heir);
    });
    stdout.write(text);
    return EX_OK;
  },
});

/** The text names boards, whose titles users choose. */
function explainRefusal(error: unknown, heir: PublicUser | null): never {
  if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
  throw new CommandFailure(EX_FAILURE, `${printable(error.message)}${heir === null ? ' with --give-boards-to' : ''}.`);
}

/** Also a user whose deletion was interrupted. */
async function findDeletable(directory: DirectoryPort, name: string): Promise<{ id: Uuid; name: string }> {
  const user = await lookUpUser(directory, name);
  if (user !== null) return { id: user.id, name: nameOf(user) };
  const id = parseUuid(name);
  const deletion =
    id === undefined
      ? await directory.ask('user.deletion', { user: name.trim(), by: 'login' })
      : await directory.ask('user.deletion', { user: id, by: 'id' });
  if (deletion === null) throw noSuchUser(name);
  return { id: deletion.id, name: printable(name) };
}

async function untilBoardsVisited(directory: DirectoryPort, id: Uuid): Promise<void> {
  for (const end = performance.now() + BOARDS_PATIENCE_MS; ; await pause(LOOK_AGAIN_MS)) {
    const deletion = await directory.ask('user.deletion', { user: id, by: 'id' });
    if (deletion?.isPending !== true) return;
    if (performance.now() > end) {
      throw new CommandFailure(
        EX_TEMPFAIL,
        `The user ${id} is deleted, but still on some boards. A running service goes on; its log says why it takes long.`,
      );
    }
  }
}

/** The last other owner may have left a board after the boards were looked at. */
async function requireNoneKept(directory: DirectoryPort, id: Uuid): Promise<void> {
  const kept = await directory.ask('membership.list', { user_id: id });
  if (kept.length === 0) return;
  const advice = `Run "switchboard user delete ${id} --give-boards-to <user>".`;
  throw new CommandFailure(EX_FAILURE, `The user ${id} is deleted, but these boards have no other owner: ${kept.join(', ')}. ${advice}`);
}

function describe(name: string, heir: PublicUser | null): string {
  const rest = heir === null ? '' : ` Boards without another owner now belong to ${nameOf(heir)}.`;
  return `Deleted ${name}.${rest}\n`;
}
