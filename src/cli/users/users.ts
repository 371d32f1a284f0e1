/** `user …`: the operator's commands for accounts. */
import type { AuditKind } from '../../domain/audit.js';
import { pageLink } from '../../api/pageLinks.js';
import { AccountTokens } from '../../auth/accountTokens.js';
import type { DirectoryPort, UserChanges } from '../../domain/commands/directoryCommands.js';
import type { PublicUser } from '../../domain/account/user.js';
import { command, type Command } from '../command.js';
import { withDirectory } from './directoryAccess.js';
import { findUser, nameOf, OPERAND, USER_HELP } from './findUser.js';
import { createAccount, hashPassword, parseAccount } from './newAccount.js';
import { operatorEntry } from './operatorEntry.js';
import { CommandFailure, EX_FAILURE, EX_OK } from '../outcome.js';
import { obtainPassword } from './password.js';
import { requireConfig } from '../requireConfig.js';
import { printable, renderTable } from '../table.js';
import { deleteUser } from './userDelete.js';
import { userToken } from './userToken.js';

const PAGE_SIZE = 200;

const PASSWORD_HELP = 'The terminal asks for the password, without echo, unless --password-stdin is given.';

const passwordOption = {
  'password-stdin': { type: 'boolean', meaning: 'Read the password from the first line of standard input.' },
} as const;

const create = command({
  words: 'user create',
  summary: 'Create a user.',
  description: PASSWORD_HELP,
  options: {
    email: { type: 'string', placeholder: 'address', required: true, meaning: 'The e-mail address to log in with.' },
    username: { type: 'string', placeholder: 'name', required: true, meaning: 'The name that other users see.' },
    firstname: { type: 'string', placeholder: 'name', meaning: 'The first name.' },
    lastname: { type: 'string', placeholder: 'name', meaning: 'The last name.' },
    superuser: { type: 'boolean', meaning: 'Make the user a superuser.' },
    ...passwordOption,
  },
  async run({ options }, terminal) {
    const config = requireConfig();
    const account = parseAccount(options);
    const password = await obtainPassword(options['password-stdin'], config, terminal);
    const user = await createAccount(config, account, password, options.superuser);
    terminal.stdout.write(`Created ${nameOf(user)} with id ${user.id}.\n`);
    return EX_OK;
  },
});

const promote = changing('promote', 'user.promoted', 'Make a user a superuser.', 'is now a superuser', {
  is_superuser: true,
});

const demote = changing('demote', 'user.demoted', 'Make a superuser an ordinary user.', 'is no longer a superuser', { is_superuser: false });

const deactivate = changing('deactivate', 'user.deactivated', 'Deactivate a user, at once and everywhere.', 'is deactivated', {
  is_active: false,
});

const activate = changing('activate', 'user.activated', 'Activate a deactivated user.', 'is active', { is_active: true });

const passwd = command({
  words: 'user passwd',
  operand: OPERAND,
  summary: 'Set a new password for a user.',
  description: `${USER_HELP} ${PASSWORD_HELP}`,
  options: passwordOption,
  async run({ options, operand }, terminal) {
    const config = requireConfig();
    // Looked up first, and the directory released: no operator should type a password for a user who does not exist,
    // and the service must be able to start during the prompt.
    const found = await withDirectory(config, (directory) => findUser(directory, operand));
    const hashed_password = await hashPassword(await obtainPassword(options['password-stdin'], config, terminal));
    const user = await withDirectory(config, (directory) => update(directory, found, 'password.reset', { hashed_password }));
    terminal.stdout.write(`The password of ${nameOf(user)} is changed.\n`);
    return EX_OK;
  },
});

const resetFactor = command({
  words: 'user reset-factor',
  operand: OPERAND,
  summary: 'Turn the second factor of a user off, for example after the loss of a phone.',
  description: `${USER_HELP} All sessions of the user end. Make sure that it is the user who asks.`,
  options: {},
  async run({ operand }, { stdout }) {
    const user = await withDirectory(requireConfig(), async (directory) => {
      const found = await findUser(directory, operand);
      const input = { user_id: found.id, proof: null, keep_session: null, now: new Date().toISOString() };
      const outcome = await directory.ask('factor.remove', input, operatorEntry('factor.reset', found));
      if (outcome !== 'accepted') throw new CommandFailure(EX_FAILURE, `${nameOf(found)} has no second factor.`);
      return found;
    });
    stdout.write(`${nameOf(user)} has no second factor any more.\n`);
    return EX_OK;
  },
});

const verify = changing('verify', 'email.verified', 'Mark the e-mail address of a user as confirmed.', 'has a confirmed e-mail address', {
  is_verified: true,
});

const resetLink = command({
  words: 'user reset-link',
  operand: OPERAND,
  summary: 'Print a link with which a user sets a new password.',
  description:
    `${USER_HELP} The link works once and for an hour, and not after the password was changed otherwise. Whoever has it ` +
    'can take the account over. Without PUBLIC_URL the token alone is printed, for POST /auth/reset-password.',
  options: {},
  async run({ operand }, { stdout, stderr }) {
    const config = requireConfig();
    const user = await withDirectory(config, async (directory) => {
      const { id } = await findUser(directory, operand);
      const found = await directory.ask('user.getWithHash', { id });
      if (found?.is_active === true) await directory.ask('audit.add', { entries: [operatorEntry('password.reset_requested', found)] });
      return found;
    });
    if (user?.is_active !== true) throw new CommandFailure(EX_FAILURE, `The user "${printable(operand)}" is not active.`);
    const token = new AccountTokens(config.jwtSecret).issue('handed reset', user, new Date());
    stdout.write(`${config.publicUrl === null ? token : pageLink(config.publicUrl, 'reset-password', token)}\n`);
    if (config.publicUrl === null) stderr.write(WITHOUT_ADDRESS);
    return EX_OK;
  },
});

const WITHOUT_ADDRESS =
  'This is the token alone, because PUBLIC_URL is not set. The user opens the address of the service followed by\n' +
  '/app/reset-password#token= and this token, and sets a new password there.\n';

const list = command({
  words: 'user list',
  summary: 'List the users by username.',
  options: {
    search: { type: 'string', placeholder: 'text', meaning: 'Only users whose username or e-mail address contains this.' },
    json: { type: 'boolean', meaning: 'Print a JSON array, for scripts.' },
  },
  async run({ options }, { stdout }) {
    const users = await withDirectory(requireConfig(), (directory) => findAll(directory, options.search || null));
    stdout.write(options.json ? `${JSON.stringify(users, null, 2)}\n` : describe(users));
    return EX_OK;
  },
});

export const userCommands: readonly Command[] = [
  create,
  promote,
  demote,
  deactivate,
  activate,
  verify,
  passwd,
  resetLink,
  resetFactor,
  userToken,
  deleteUser,
  list,
];

function changing(verb: string, kind: AuditKind, summary: string, result: string, changes: UserChanges): Command {
  return command({
    words: `user ${verb}`,
    operand: OPERAND,
    summary,
    description: USER_HELP,
    options: {},
    async run({ operand }, { stdout }) {
      const user = await withDirectory(requireConfig(), async (directory) => {
        return update(directory, await findUser(directory, operand), kind, changes);
      });
      stdout.write(`${nameOf(user)} ${result}.\n`);
      return EX_OK;
    },
  });
}

function update(directory: DirectoryPort, user: PublicUser, kind: AuditKind, changes: UserChanges): Promise<PublicUser> {
  const input = { id: user.id, changes, now: new Date().toISOString() };
  return directory.ask('user.update', input, operatorEntry(kind, user));
}

async function findAll(directory: DirectoryPort, search: string | null): Promise<PublicUser[]> {
  const users: PublicUser[] = [];
  for (;;) {
    const page = await directory.ask('user.search', { search, limit: PAGE_SIZE, offset: users.length });
    users.push(...page);
    if (page.length < PAGE_SIZE) return users;
  }
}

function describe(users: readonly PublicUser[]): string {
  if (users.length === 0) return 'No users.\n';
  return renderTable(
    ['USERNAME', 'E-MAIL', 'NAME', 'STATE', 'ID'],
    users.map((user) => [
      user.username,
      user.email,
      [user.firstname, user.lastname].filter(Boolean).join(' '),
      [user.is_active ? 'active' : 'inactive', user.is_superuser ? 'superuser' : ''].filter(Boolean).join(', '),
      user.id,
    ]),
  );
}
